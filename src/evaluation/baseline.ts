import type { Client } from '../client/client.ts';
import type { CallOptions } from '../client/transport.ts';
import type { Session } from '../contract/tracing/sessions.ts';
import { compareScores, type Outcome, type ScoreChange } from '../experiments/compare-scores.ts';
import type { FileExample } from './dataset-file.ts';
import type { DatasetResult } from './evaluate-dataset.ts';
import { PASS_KEY } from './experiment.ts';
import { fieldsAt } from './fields-at.ts';
import { statisticsOf } from './verdict.ts';

/** An earlier experiment on a dataset, for comparison. */
export interface Baseline {
  readonly name: string;
  /** The mean of every score, by key. */
  readonly means: ReadonlyMap<string, number>;
  /** The share of an example's runs that passed, by the example's ID on the platform. */
  readonly passRates: ReadonlyMap<string, number>;
}

/** How an evaluation differs from its baseline. */
export interface Comparison {
  /** The name of the baseline. */
  readonly name: string;
  /** The mean of every score in the baseline, by key. */
  readonly means: ReadonlyMap<string, number>;
  /** Examples that passed more often before. */
  readonly regressions: readonly FileExample[];
  /** Examples that pass more often now. */
  readonly improvements: readonly FileExample[];
}

/** The name to show for a baseline: as the user wrote it, with the name of the experiment that was found for it. */
function nameOf(asked: string, { id, name }: Pick<Session, 'id' | 'name'>): string {
  return asked === name || asked === id ? name : `${asked} (${name})`;
}

/**
 * Reads the scores of an experiment.
 * @param asked the name of the baseline as the user wrote it
 * @throws RequestError
 */
export async function readBaseline(
  { tracing }: Pick<Client, 'tracing'>,
  { id, name }: Pick<Session, 'id' | 'name'>,
  asked: string,
  options: CallOptions = {},
): Promise<Baseline> {
  const scores = new Map<string, number[]>();
  const passes = new Map<string, number[]>();
  for await (const { reference_example_id, feedback_stats } of scoredRuns(tracing, id, options)) {
    for (const key of Object.keys(feedback_stats ?? {})) {
      const { avg } = fieldsAt(feedback_stats, key);
      if (typeof avg !== 'number') continue;
      if (key !== PASS_KEY) scores.set(key, [...(scores.get(key) ?? []), avg]);
      else if (typeof reference_example_id === 'string')
        passes.set(reference_example_id, [...(passes.get(reference_example_id) ?? []), avg]);
    }
  }
  return { name: nameOf(asked, { id, name }), means: meansOf(scores), passRates: meansOf(passes) };
}

/** The root runs of an experiment, page by page. */
async function* scoredRuns(tracing: Client['tracing'], experiment: string, options: CallOptions) {
  const select = ['id', 'reference_example_id', 'feedback_stats'];
  let cursor: string | null | undefined;
  do {
    const page = await tracing.runs.query(
      { body: { session: [experiment], is_root: true, limit: 100, select, cursor: cursor ?? null } },
      options,
    );
    yield* page.runs;
    cursor = page.cursors.next;
  } while (cursor);
}

/** Makes a baseline from the results of an evaluation. */
export function baselineOf({ experiment, results }: DatasetResult, name: string): Baseline {
  const runs = results.flatMap((result) => result.runs);
  const means = new Map([...statisticsOf(runs)].map(([key, { mean }]) => [key, mean]));
  const passRates = new Map(
    results
      .filter(({ verdict }) => verdict !== 'skipped')
      .map(({ exampleId, runs }) => [exampleId, passRate(runs)]),
  );
  return { name: nameOf(name, experiment), means, passRates };
}

/** Compares an evaluation with a baseline. Examples that are in only one of the two are neither better nor worse. */
export function compareWith({ results }: DatasetResult, { name, means, passRates }: Baseline): Comparison {
  const isLowerBetter = false;
  const changed = (to: ScoreChange) =>
    results
      .filter(({ exampleId, runs }) => {
        const before = outcomeOf(passRates.get(exampleId));
        const after = outcomeOf(runs.length === 0 ? undefined : passRate(runs));
        return compareScores(PASS_KEY, before, after, isLowerBetter) === to;
      })
      .map(({ example }) => example);
  return { name, means, regressions: changed('regressed'), improvements: changed('improved') };
}

/** A pass rate as an outcome, so that it can be compared like any score. */
function outcomeOf(rate: number | undefined): Outcome | undefined {
  if (rate === undefined) return undefined;
  return { scores: { [PASS_KEY]: { mean: rate, count: 1 } }, failed: 0, runs: 1 };
}

function passRate(runs: readonly { readonly failures: readonly string[] }[]): number {
  return runs.filter(({ failures }) => failures.length === 0).length / runs.length;
}

function meansOf(values: ReadonlyMap<string, readonly number[]>): Map<string, number> {
  return new Map(
    [...values].map(([key, all]) => [key, all.reduce((sum, value) => sum + value, 0) / all.length]),
  );
}
