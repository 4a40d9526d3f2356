import { type Spread, spreadOf } from '../experiments/spread.ts';
import type { EvaluationSettings } from './evaluation-settings.ts';
import type { ExampleRun } from './run-example.ts';
import type { Score } from './score-run.ts';

/** One run of an example with its scores. */
export interface ScoredRun extends ExampleRun {
  /** The number of the repetition, from 1. */
  readonly repetition: number;
  readonly tokens: number | undefined;
  /** The cost in dollars, if the prices of its models are known. */
  readonly cost: number | undefined;
  readonly scores: readonly Score[];
  /** Why the run does not pass; empty if it does. */
  readonly failures: readonly string[];
}

/** An example is `passed` if all of its repetitions pass, and `flaky` if only some do. */
export type Verdict = 'passed' | 'failed' | 'flaky' | 'skipped';

/**
 * The reasons why a run does not pass: it failed, an evaluator failed, or a score is too low. Feedback
 * without a score, and scores for which `pass` has null, are only recorded.
 */
export function failuresOf(
  run: Pick<ScoredRun, 'error' | 'scores' | 'question'>,
  { pass }: Pick<EvaluationSettings, 'pass'>,
): string[] {
  if (run.error !== undefined) return [run.error];
  const failures = run.scores.flatMap(({ key, score, comment, error }) => {
    if (error !== undefined) return [`${key}: ${error}`];
    const least = Object.hasOwn(pass, key) ? pass[key] : 1;
    if (least === null || least === undefined || score === null || score === undefined) return [];
    if (Number(score) >= least) return [];
    const wanted = score === false ? 'true' : `at least ${least}`;
    return [`${key}: ${formatScore(score)}, must be ${wanted}${comment ? ` (${comment})` : ''}`];
  });
  if (run.question === undefined || failures.length === 0) return failures;
  // If a run ended with a question, its scores are probably too low because everything after the question is
  // missing.
  return [
    `The graph asked ${run.question} and waits for the answer. A cassette of a run that was continued answers it.`,
    ...failures,
  ];
}

/** The verdict over the repetitions of an example. */
export function verdictOf(runs: readonly Pick<ScoredRun, 'failures'>[]): Verdict {
  if (runs.length === 0) return 'skipped';
  const passed = runs.filter(({ failures }) => failures.length === 0).length;
  if (passed === runs.length) return 'passed';
  return passed === 0 ? 'failed' : 'flaky';
}

/** The mean and spread of every score by key, in the order in which the keys first appear. */
export function statisticsOf(runs: readonly Pick<ScoredRun, 'scores'>[]): Map<string, Spread> {
  const byKey = new Map<string, number[]>();
  for (const { key, score } of runs.flatMap(({ scores }) => scores)) {
    if (score === null || score === undefined) continue;
    byKey.set(key, [...(byKey.get(key) ?? []), Number(score)]);
  }
  return new Map(
    [...byKey].flatMap(([key, values]) => {
      const spread = spreadOf(values);
      return spread === undefined ? [] : [[key, spread] as const];
    }),
  );
}

/** A score with at most three decimals. */
export function formatScore(score: number | boolean): string {
  return typeof score === 'boolean' ? String(score) : String(Math.round(score * 1000) / 1000);
}
