import { durationOf } from '../../terms/durations.ts';
import { dateOf } from '../../terms/times.ts';

/** `2026-11-21 15:04:05` in the local time zone; text that is not a time is returned unchanged. */
export function localTime(time: string | null | undefined): string {
  if (time === null || time === undefined || time === '') return '';
  const date = dateOf(time);
  if (date === undefined) return time;
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** `250 ms`, `1.50 s`, `2 m 05 s`; empty when it is not known. */
export function durationText(ms: number | undefined): string {
  if (ms === undefined) return '';
  const duration = durationOf(ms);
  return duration.unit === 'min'
    ? `${duration.minutes} m ${String(duration.seconds).padStart(2, '0')} s`
    : `${duration.value} ${duration.unit}`;
}
