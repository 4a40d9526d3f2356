import type { Verdict } from './verdict.ts';

interface Result {
  readonly file: { readonly examples: readonly unknown[] };
  readonly results: readonly { readonly verdict: Verdict }[];
  readonly stopped: string | undefined;
}

/** Whether every example of a dataset was run, so that the dataset can be judged as a whole. */
export function isWhole({ file, results, stopped }: Result): boolean {
  return results.length === file.examples.length && stopped === undefined;
}

/** Whether every example of a dataset was run and passed. */
export function hasPassedWhole(result: Result): boolean {
  return isWhole(result) && result.results.every(({ verdict }) => verdict === 'passed');
}
