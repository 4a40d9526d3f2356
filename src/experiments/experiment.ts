import type { Spread } from './spread.ts';

/** An experiment on a dataset, with the numbers of all of its runs. */
export interface Experiment {
  readonly id: string;
  readonly name: string;
  readonly startedAt: string;
  readonly runs: number;
  /** The share of runs that failed, from 0 to 1. */
  readonly errorRate: number;
  /** The median over its runs, in milliseconds. */
  readonly latency?: number;
  /** The total over its runs, in US dollars. */
  readonly cost?: number;
  readonly tokens?: number;
  /** The scores of all its runs, by feedback key. */
  readonly scores: Readonly<Record<string, Spread>>;
  /** The version of the dataset that it ran on, as a time, if its author recorded that. */
  readonly datasetVersion?: string;
  /** How often it ran each example, if its author recorded that. */
  readonly repetitions?: number;
  /** The graph it ran, if its author recorded that. */
  readonly graph?: string;
}
