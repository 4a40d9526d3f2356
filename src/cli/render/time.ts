import { durationOf } from '../../terms/durations.ts';
import { dateOf } from '../../terms/times.ts';

/** A time in the local time zone, such as `2026-11-21 15:04:05`. Text that is not a time is returned unchanged. */
export function localTime(time: string | null | undefined): string {
  if (time === null || time === undefined || time === '') return '';
  const date = dateOf(time);
  if (date === undefined) return time;
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** A duration such as `250 ms`, `1.50 s` or `2 m 05 s`; empty when it is unknown. */
export function durationText(ms: number | undefined): string {
  if (ms === undefined) return '';
  const duration = durationOf(ms);
  return duration.unit === 'min'
    ? `${duration.minutes} m ${String(duration.seconds).padStart(2, '0')} s`
    : `${duration.value} ${duration.unit}`;
}
