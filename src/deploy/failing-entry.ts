import type { LogEntry } from '../contract/control-plane/logs.ts';

/** Lines that npm prints before the one that says what is wrong: error codes, paths, and general remarks. */
const NPM_PREAMBLE =
  /^npm (?:error|ERR!)(?:$| (?:code|errno|syscall|path|dest|command|cwd|signal|sh)\b| `npm ci` can only )/;
const READS_LIKE_ERROR = /\b(?:error|failed|cannot)\b/i;

/**
 * The index of the entry in a build log that says what failed: the first that the platform calls an error,
 * else the first that reads like one, else the last. If that is one of the lines that npm prints first, the
 * entry after them is used if it reads like an error.
 * @returns -1 for an empty log
 */
export function failingEntry(log: readonly Pick<LogEntry, 'level' | 'message'>[]): number {
  const byLevel = log.findIndex(({ level }) => level === 'ERROR' || level === 'CRITICAL');
  const found = byLevel >= 0 ? byLevel : log.findIndex(({ message }) => READS_LIKE_ERROR.test(message));
  if (found < 0) return log.length - 1;
  let at = found;
  while (isPreamble(log[at]?.message)) at++;
  return READS_LIKE_ERROR.test(log[at]?.message ?? '') ? at : found;
}

function isPreamble(message: string | undefined): boolean {
  return message !== undefined && NPM_PREAMBLE.test(message.trimEnd());
}
