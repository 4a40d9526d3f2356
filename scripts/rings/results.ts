import { z } from 'zod';

/** A test that failed, and its error. */
const Incident = z.object({ title: z.string(), error: z.string() });
export type Incident = z.output<typeof Incident>;

const FileResult = z.object({
  passed: z.int(),
  failed: z.int(),
  skipped: z.int(),
  failures: z.array(Incident),
  retries: z.array(Incident),
  tookMs: z.number(),
});
type FileResult = z.output<typeof FileResult>;

/** By test file. Written by `test/support/result-reporter.mjs`. */
export const Results = z.record(z.string(), FileResult);
export type Results = z.output<typeof Results>;

/** The result of a test file in a ring. */
export interface RingFile extends FileResult {
  readonly ring: string;
  readonly file: string;
}

export type Result = Omit<FileResult, 'tookMs'> & { readonly files: readonly RingFile[] };

export const NOTHING: Result = { passed: 0, failed: 0, skipped: 0, failures: [], retries: [], files: [] };

export function add(a: Result, b: Result): Result {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
    failures: [...a.failures, ...b.failures],
    retries: [...a.retries, ...b.retries],
    files: [...a.files, ...b.files],
  };
}

export function sum(ring: string, results: Results): Result {
  return Object.entries(results)
    .map(([file, result]) => resultOf({ ...result, ring, file }))
    .reduce(add, NOTHING);
}

function resultOf(file: RingFile): Result {
  const { passed, failed, skipped, failures, retries } = file;
  return { passed, failed, skipped, failures, retries, files: [file] };
}

/** `12 passed, 0 failed`, and `, 1 skipped` if any were. */
export function counts({ passed, failed, skipped }: Result): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** The files in which a test or hook failed. */
export function failedFiles({ files }: Result): RingFile[] {
  return files.filter(({ file, failed }) => file !== '' && failed > 0);
}

/**
 * The result, updated with the second run of some of a ring's files; tests that failed in the first run count
 * as retried.
 */
export function rerun(result: Result, ring: string, second: Results): Result {
  const isAgain = ({ ring: of, file }: RingFile) => of === ring && second[file] !== undefined;
  const before = result.files.filter(isAgain);
  const told = new Set<Incident>(before.flatMap(({ failures }) => failures));
  const count = (what: 'passed' | 'failed' | 'skipped') =>
    before.reduce((left, file) => left - file[what], result[what]);
  const kept: Result = {
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    failures: result.failures.filter((failure) => !told.has(failure)),
    retries: [...result.retries, ...told],
    files: result.files.filter((file) => !isAgain(file)),
  };
  return add(kept, sum(ring, second));
}

/**
 * In rings without retries, a test that passes only at a later attempt (it may set `this.retries`) counts as failed.
 */
export function refuseRetries(results: Results): Results {
  return Object.fromEntries(Object.entries(results).map(([file, result]) => [file, withoutRetries(result)]));
}

function withoutRetries(result: FileResult): FileResult {
  const known = new Set(result.failures.map(({ title }) => title));
  const flaky = new Map(
    result.retries.filter(({ title }) => !known.has(title)).map((one) => [one.title, one]),
  );
  return {
    ...result,
    passed: result.passed - flaky.size,
    failed: result.failed + flaky.size,
    failures: [...result.failures, ...flaky.values()],
  };
}
