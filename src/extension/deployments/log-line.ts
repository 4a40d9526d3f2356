import { plainLine } from '../../containers/plain-line.ts';

const LEVELS: Readonly<Record<string, string>> = {
  DEBUG: 'debug',
  WARNING: 'warning',
  ERROR: 'error',
  CRITICAL: 'error',
};

/** A line of a log as VS Code writes those of its own, which its `log` language colors; the time is local. */
export function logLine(time: Date, level: string | undefined, message: string): string {
  return `${localTime(time)} [${LEVELS[level ?? ''] ?? 'info'}] ${plainLine(message).trimEnd()}`;
}

/** `2026-11-22 10:27:16.741`; empty when it is not a time. */
function localTime(time: Date): string {
  if (Number.isNaN(time.getTime())) return '';
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 23).replace('T', ' ');
}
