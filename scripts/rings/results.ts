import { z } from 'zod';

/** A test and what it was thrown. */
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

/** A test file in a ring. */
export interface TimedFile {
  readonly ring: string;
  readonly file: string;
  readonly tookMs: number;
}

export type Result = Omit<FileResult, 'tookMs'> & { readonly files: readonly TimedFile[] };

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
    .map(([file, { tookMs, ...result }]) => ({ ...result, files: [{ ring, file, tookMs }] }))
    .reduce(add, NOTHING);
}

/** `12 passed, 0 failed`, and `, 1 skipped` if any were. */
export function counts({ passed, failed, skipped }: Result): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** What the second runs of files say; what failed in the first is told with what was tried again. */
export function rerun(first: Results, second: Results): Results {
  const again = Object.entries(second).map(([file, result]) => {
    const { failures = [], retries = [] } = first[file] ?? {};
    return [file, { ...result, retries: [...retries, ...failures, ...result.retries] }];
  });
  return { ...first, ...Object.fromEntries(again) };
}

/** A test that passes at a later try only, which it may ask for by `this.retries`, has failed where none is tried again. */
export function refuseRetries(result: Result): Result {
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
