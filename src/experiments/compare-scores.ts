import type { Spread } from './spread.ts';

/** The scores and failures of an example in one experiment. */
export interface Outcome {
  /** The scores over its repetitions, by feedback key. */
  readonly scores: Readonly<Record<string, Spread>>;
  /** How many of its runs ended with an error. */
  readonly failed: number;
  readonly runs: number;
}

export type ScoreChange = 'improved' | 'regressed' | 'same';

/** The smallest difference that counts. Smaller ones come from adding numbers in a different order. */
const EPSILON = 1e-9;

/**
 * Compares the mean of a score between two experiments. An example without the score, all of whose runs
 * failed, counts as worse than any score.
 * @param isLowerBetter whether the configuration of the feedback key says that a lower score is better
 * @returns undefined when there is nothing to compare
 */
export function compareScores(
  key: string,
  before: Outcome | undefined,
  after: Outcome | undefined,
  isLowerBetter: boolean,
): ScoreChange | undefined {
  if (before === undefined || after === undefined) return undefined;
  const [was, is] = [before.scores[key]?.mean, after.scores[key]?.mean];
  if (was !== undefined && is !== undefined) {
    if (Math.abs(is - was) <= EPSILON) return 'same';
    const isHigher = is > was;
    return isHigher === isLowerBetter ? 'regressed' : 'improved';
  }
  if (was !== undefined && hasOnlyFailed(after)) return 'regressed';
  if (is !== undefined && hasOnlyFailed(before)) return 'improved';
  return undefined;
}

/** Compares every score of an example, by feedback key. */
export function compareOutcomes(
  before: Outcome | undefined,
  after: Outcome | undefined,
  lowerIsBetter: ReadonlySet<string>,
): Readonly<Record<string, ScoreChange>> {
  const keys = new Set([...Object.keys(before?.scores ?? {}), ...Object.keys(after?.scores ?? {})]);
  const changes = [...keys].flatMap((key) => {
    const change = compareScores(key, before, after, lowerIsBetter.has(key));
    return change === undefined ? [] : [[key, change] as const];
  });
  return Object.fromEntries(changes);
}

function hasOnlyFailed({ failed, runs }: Outcome): boolean {
  return runs > 0 && failed === runs;
}
