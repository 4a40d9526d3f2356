import type { Client } from '../client/client.ts';
import { eachPage } from '../client/each-page.ts';
import { isUnknownEndpoint } from '../client/is-unknown-endpoint.ts';
import type { CallOptions } from '../client/transport.ts';
import type { Preference } from './preference.ts';
import type { ExampleResults, Result } from './read-results.ts';
import { spreadOf } from './spread.ts';

/** An example with the preferences between two experiments. */
export interface JudgedExample extends ExampleResults {
  /** The preferences by feedback key; empty or absent when the experiments were not compared. */
  readonly preferences?: Readonly<Record<string, Preference>>;
}

interface Pair {
  readonly baseline: string;
  readonly experiment: string;
}

type PreferenceClient = Pick<Client, 'comparisons' | 'tracing'>;
/** The scores of a comparison, by feedback key and run. */
type Scores = Map<string, Map<string, number>>;

/** The maximum number of runs that a request names, because their IDs are in the URL. */
const MAX_RUNS_PER_REQUEST = 100;

/**
 * Adds to each example which of two experiments was preferred, from the comparisons of the two
 * (`evaluateComparative` of LangSmith's SDKs). For each example and key, the newest comparison counts that has scores of
 * both experiments. Keys of comparisons are removed from the scores.
 * @throws RequestError while iterating; the signal's reason when aborted.
 */
export async function* withPreferences(
  pages: AsyncIterable<readonly ExampleResults[]>,
  client: PreferenceClient,
  datasetId: string,
  pair: Pair,
  options: CallOptions = {},
): AsyncGenerator<JudgedExample[], void, undefined> {
  const comparisons = await readComparisons(client, datasetId, pair, options);
  for await (const page of pages) {
    const runIds = page.flatMap(runIdsOf(pair));
    const scores: Scores[] = [];
    for (const comparison of comparisons) scores.push(await readScores(client, comparison, runIds, options));
    yield page.map((example) => judge(example, scores, pair));
  }
}

/** Lists the IDs of the comparisons that have both experiments, newest first. */
async function readComparisons(
  { comparisons }: PreferenceClient,
  datasetId: string,
  { baseline, experiment }: Pair,
  options: CallOptions,
): Promise<string[]> {
  const has = (infos: readonly { readonly id: string }[], id: string) => infos.some((info) => info.id === id);
  const found: string[] = [];
  const params = { dataset_id: datasetId };
  const pages = eachPage({ idOf: ({ id }: { readonly id: string }) => id }, (query) =>
    comparisons.list({ params, query }, options).catch((error: unknown) => {
      // Not every platform has comparisons. If the dataset does not exist, reading its results says so.
      if (query.offset === 0 && isUnknownEndpoint(error)) return [];
      throw error;
    }),
  );
  for await (const page of pages)
    for (const { id, experiments_info: infos } of page)
      if (has(infos, baseline) && has(infos, experiment)) found.push(id);
  return found;
}

function runIdsOf({ baseline, experiment }: Pair): (example: ExampleResults) => string[] {
  return ({ results }) => [baseline, experiment].flatMap((id) => [...(results.get(id)?.runIds ?? [])]);
}

async function readScores(
  { tracing }: PreferenceClient,
  comparison: string,
  runIds: readonly string[],
  options: CallOptions,
): Promise<Scores> {
  const scores: Scores = new Map();
  for await (const { key, run_id, score } of feedbackOf(tracing, comparison, runIds, options)) {
    if (typeof run_id !== 'string' || typeof score !== 'number') continue;
    const ofKey = scores.get(key) ?? new Map<string, number>();
    scores.set(key, ofKey.set(run_id, score));
  }
  return scores;
}

/** Lists the feedback of a comparison on runs, in as many requests as are needed. */
async function* feedbackOf(
  { feedback }: PreferenceClient['tracing'],
  comparison: string,
  runIds: readonly string[],
  options: CallOptions,
) {
  for (let from = 0; from < runIds.length; from += MAX_RUNS_PER_REQUEST) {
    const run = runIds.slice(from, from + MAX_RUNS_PER_REQUEST);
    const pages = eachPage({ idOf: ({ id }: { readonly id: string }) => id }, (page) =>
      feedback.list({ query: { ...page, run, comparative_experiment_id: comparison } }, options),
    );
    for await (const page of pages) yield* page;
  }
}

/** @param comparisons the scores of each comparison, the newest first */
function judge(
  example: ExampleResults,
  comparisons: readonly Scores[],
  { baseline, experiment }: Pair,
): JudgedExample {
  const [before, after] = [example.results.get(baseline), example.results.get(experiment)];
  const preferences: Record<string, Preference> = {};
  for (const [key, ofRuns] of comparisons.flatMap((scores) => [...scores])) {
    const [was, is] = [before, after].map((result) => meanOf(result, ofRuns));
    if (was !== undefined && is !== undefined)
      preferences[key] ??= is === was ? 'tied' : is > was ? 'won' : 'lost';
  }
  const results = [...example.results].map(([id, result]) => [id, without(result, preferences)] as const);
  return { ...example, results: new Map(results), preferences };
}

/** The mean score over the repetitions; undefined if no repetition has one. */
function meanOf(result: Result | undefined, scores: ReadonlyMap<string, number>): number | undefined {
  return spreadOf((result?.runIds ?? []).flatMap((id) => scores.get(id) ?? []))?.mean;
}

function without(result: Result, keys: Readonly<Record<string, unknown>>): Result {
  const scores = Object.entries(result.scores).filter(([key]) => !(key in keys));
  return { ...result, scores: Object.fromEntries(scores) };
}
