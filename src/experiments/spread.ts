import { mean, sampleStandardDeviation } from 'simple-statistics';

/** Mean and deviation of a number over repetitions. */
export interface Spread {
  readonly mean: number;
  /** The sample standard deviation; absent with fewer than two numbers. */
  readonly deviation?: number;
  readonly count: number;
}

/** Calculates the spread of numbers. @returns undefined for an empty list */
export function spreadOf(numbers: readonly number[]): Spread | undefined {
  if (numbers.length === 0) return undefined;
  const deviation = numbers.length > 1 ? { deviation: sampleStandardDeviation([...numbers]) } : {};
  return { mean: mean([...numbers]), ...deviation, count: numbers.length };
}
