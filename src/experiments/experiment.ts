import type { Spread } from './spread.ts';

/** An experiment on a dataset, with the numbers of all of its runs. */
export interface Experiment {
  readonly id: string;
  readonly name: string;
  readonly startedAt: string;
  readonly runs: number;
  /** From 0 to 1. */
  readonly errorRate: number;
  /** Milliseconds, the median. */
  readonly latency?: number;
  /** In US dollars. */
  readonly cost?: number;
  readonly tokens?: number;
  /** By feedback key. */
  readonly scores: Readonly<Record<string, Spread>>;
  /** The time of the dataset's version that it ran on, where the platform knows it. */
  readonly datasetVersion?: string;
  /** How often it ran each example, if its author recorded that. */
  readonly repetitions?: number;
  /** The graph it ran, if its author recorded that. */
  readonly graph?: string;
}
