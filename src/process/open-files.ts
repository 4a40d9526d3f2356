import process from 'node:process';
import { isObject } from './objects.ts';

/** Below this limit, graphs may not load: Node and Python with LangGraph open several hundred files while they load. */
const MIN_OPEN_FILES = 1_024;
const CODES: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE']);
/** The codes in a message. Python writes them as the numbers 24 and 23. */
const MESSAGE = /\bE[MN]FILE\b|\[Errno 2[34]\]/;

/** Whether an error means that no more files may be opened. */
export function isTooManyFiles(error: unknown): boolean {
  return error instanceof Error && 'code' in error && CODES.has(error.code);
}

/** Whether the text of an error from Node or Python means that no more files may be opened. */
export function saysTooManyFiles(message: string): boolean {
  return MESSAGE.test(message);
}

/** Says how many files may be open at the same time, and how to raise this limit. */
export function openFilesSentence(): string {
  const limit = openFilesLimit();
  if (limit === undefined) return 'Too many files are open. Close other programs, and restart Agent Harbor.';
  return `Only ${limit.toLocaleString('en')} files can be open at the same time. Raise the limit (ulimit -n 4096) where Agent Harbor is started, and restart it.`;
}

/** Whether the limit on open files is so low that graphs may not load. */
export function hasLowOpenFilesLimit(): boolean {
  return (openFilesLimit() ?? MIN_OPEN_FILES) < MIN_OPEN_FILES;
}

/**
 * The limit on open files for this process and its children; undefined where there is none, as on Windows. Takes about
 * 15 ms.
 */
function openFilesLimit(): number | undefined {
  // By default, the report looks up the host names of all connected sockets.
  Object.assign(process.report, { excludeNetwork: true });
  const report: unknown = process.report.getReport();
  if (!isObject(report) || !isObject(report.userLimits) || !isObject(report.userLimits.open_files)) return;
  const { soft } = report.userLimits.open_files;
  return typeof soft === 'number' ? soft : undefined;
}
