import { z } from 'zod';

const LogEntry = z.looseObject({
  level: z.int().optional(),
  msg: z.string(),
  err: z.looseObject({ message: z.string() }).optional(),
});
const ERROR_LEVEL = 50;

/**
 * The line of a server's log that explains a failure: the last logged error, else the last plain line that names a
 * thrown error, else the last line. Lines in JSON are reduced to their message and error.
 * @returns undefined for an empty log
 */
export function failureInLog(log: string): string | undefined {
  const lines = log.split(/\r?\n/).filter((line) => line.trim() !== '');
  const entries = lines.map(readEntry);
  const error = entries.findLast((entry) => typeof entry !== 'string' && (entry.level ?? 0) >= ERROR_LEVEL);
  const last = error ?? findThrown(lines) ?? entries.at(-1);
  if (last === undefined) return undefined;
  if (typeof last === 'string') return last;
  return last.err === undefined || last.err.message === last.msg
    ? last.msg
    : `${last.msg}: ${last.err.message}`;
}

/** The last line of plain text that names a thrown error. */
function findThrown(lines: readonly string[]): string | undefined {
  return lines.findLast((line) => /^\w*Error\b.*$/.test(line.trim()))?.trim();
}

function readEntry(line: string): string | z.output<typeof LogEntry> {
  try {
    const entry = LogEntry.safeParse(JSON.parse(line));
    return entry.success ? entry.data : line;
  } catch {
    return line;
  }
}
