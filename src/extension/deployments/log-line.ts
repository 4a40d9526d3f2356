import { plainLine } from '../../containers/server-line.ts';
import { dateOf, isoTime } from '../../terms/times.ts';

const LEVELS: Readonly<Record<string, string>> = {
  DEBUG: 'debug',
  WARNING: 'warning',
  ERROR: 'error',
  CRITICAL: 'error',
};

/** A log line in the format of VS Code's own logs, which its `log` language colors; the time is local. */
export function logLine(time: number | string, level: string | undefined, message: string): string {
  return `${localTime(time)} [${LEVELS[level ?? ''] ?? 'info'}] ${plainLine(message).trimEnd()}`;
}

/** The local time, such as `2026-11-22 10:27:16.741`; empty when the argument is not a time. */
function localTime(time: number | string): string {
  const date = dateOf(time);
  if (date === undefined) return '';
  return isoTime(date.getTime() - date.getTimezoneOffset() * 60_000)
    .slice(0, 23)
    .replace('T', ' ');
}
