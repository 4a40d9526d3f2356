/** Times without an offset are UTC on the wire. */
export function millisecondsOf(time: string): number {
  return Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(time) ? time : `${time}Z`);
}

/** `2026-11-21 15:04:05` in the local time zone; text that is not a time stays as it is. */
export function localTime(time: string | null | undefined): string {
  if (time === null || time === undefined || time === '') return '';
  const ms = millisecondsOf(time);
  if (Number.isNaN(ms)) return time;
  const date = new Date(ms);
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** `250 ms`, `1.50 s`, `2 m 05 s`. */
export function durationText(ms: number): string {
  if (Number.isNaN(ms)) return '';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(2)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} m ${String(seconds % 60).padStart(2, '0')} s`;
}
