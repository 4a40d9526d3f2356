import { z } from 'zod';
import type { Client } from '../client/client.ts';
import type { CallOptions } from '../client/transport.ts';
import type { Outcome } from './compare-scores.ts';
import { type Spread, spreadOf } from './spread.ts';

/** The result of an experiment for an example, over all repetitions. */
export interface Result extends Outcome {
  /** The roots of the traces, one per repetition, in the order of the platform. */
  readonly runIds: readonly string[];
  /** The outputs of the first run, or the beginning of their JSON. */
  readonly outputs: unknown;
  /** The error of the first run that failed. */
  readonly error?: string;
  /** The duration of the runs, in milliseconds. */
  readonly latency?: Spread;
  /** The cost of the runs, in US dollars. */
  readonly cost?: Spread;
  readonly tokens?: Spread;
  /** Feedback that is not a score, such as categories, by key. */
  readonly values: Readonly<Record<string, string>>;
}

/** An example of a dataset with its results in experiments. */
export interface ExampleResults {
  readonly id: string;
  readonly inputs: unknown;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  readonly outputs: unknown;
  /** The results by the ID of the experiment. */
  readonly results: ReadonlyMap<string, Result>;
}

const PAGE_SIZE = 100;
const SELECTED = ['PROJECT_ID', 'LATENCY_SECONDS', 'ERROR', 'FEEDBACK_STATS', 'TOTAL_TOKENS', 'TOTAL_COST'];

/** The statistics of a feedback key: a mean if its feedback has scores. */
const Feedback = z.object({
  avg: z.number().nullish(),
  /** How often each category was given. */
  values: z.record(z.string(), z.unknown()).nullish(),
});
const Run = z.looseObject({
  id: z.string(),
  project_id: z.string(),
  error: z.string().nullish(),
  latency_seconds: z.number().nullish(),
  total_tokens: z.number().nullish(),
  total_cost: z.number().nullish(),
  feedback_stats: z.record(z.string(), Feedback).nullish(),
  outputs: z.unknown().optional(),
  outputs_preview: z.string().nullish(),
});
type Run = z.output<typeof Run>;

/**
 * Reads the examples of a dataset with their results in experiments, page by page.
 * @param options.isWhole whether to read whole outputs instead of their beginnings
 * @throws while iterating: RequestError, ZodError when a run of the answer is not valid, or the signal's reason when
 * aborted.
 */
export async function* readResults(
  { experimentRuns }: Pick<Client, 'experimentRuns'>,
  datasetId: string,
  experimentIds: readonly string[],
  options: CallOptions & { readonly isWhole?: boolean } = {},
): AsyncGenerator<ExampleResults[], void, undefined> {
  const { isWhole = false, ...call } = options;
  const selects = [...SELECTED, isWhole ? 'OUTPUTS' : 'OUTPUTS_PREVIEW'];
  let cursor: string | null | undefined;
  do {
    const { items, next_cursor } = await experimentRuns.query(
      {
        params: { dataset_id: datasetId },
        body: { experiment_ids: [...experimentIds], selects, page_size: PAGE_SIZE, cursor: cursor ?? null },
      },
      call,
    );
    yield items.map(({ id = '', inputs, metadata, outputs, runs }) => ({
      id,
      inputs,
      metadata,
      outputs,
      results: resultsOf(z.array(Run).parse(runs)),
    }));
    cursor = next_cursor;
  } while (cursor);
}

function resultsOf(runs: readonly Run[]): ReadonlyMap<string, Result> {
  const groups = Map.groupBy(runs, ({ project_id }) => project_id);
  return new Map([...groups].map(([experiment, repetitions]) => [experiment, resultOf(repetitions)]));
}

function resultOf(runs: readonly Run[]): Result {
  const [first] = runs;
  const failed = runs.filter(({ error }) => error);
  const error = failed[0]?.error;
  const numbers = (pick: (run: Run) => number | null | undefined) =>
    spreadOf(runs.flatMap((run) => pick(run) ?? []));
  const latency = numbers(({ latency_seconds }) => latency_seconds && latency_seconds * 1000);
  const cost = numbers(({ total_cost }) => total_cost);
  // Platforms count 0 tokens if a run reports none.
  const tokens = numbers(({ total_tokens }) => total_tokens || undefined);
  return {
    runIds: runs.map(({ id }) => id),
    runs: runs.length,
    failed: failed.length,
    outputs: first?.outputs ?? first?.outputs_preview,
    ...feedbackOf(runs),
    ...(error && { error }),
    ...(latency && { latency }),
    ...(cost && { cost }),
    ...(tokens && { tokens }),
  };
}

/** Combines the feedback of the repetitions. Several scores of one run under a key count as their mean. */
function feedbackOf(runs: readonly Run[]): Pick<Result, 'scores' | 'values'> {
  const scores = new Map<string, number[]>();
  const values = new Map<string, string[]>();
  for (const { feedback_stats } of runs) {
    for (const [key, { avg, values: categories }] of Object.entries(feedback_stats ?? {})) {
      if (typeof avg === 'number') scores.set(key, [...(scores.get(key) ?? []), avg]);
      else values.set(key, [...(values.get(key) ?? []), ...Object.keys(categories ?? {})]);
    }
  }
  return {
    scores: Object.fromEntries(
      [...scores].flatMap(([key, all]) => {
        const spread = spreadOf(all);
        return spread === undefined ? [] : [[key, spread]];
      }),
    ),
    values: Object.fromEntries(
      [...values].flatMap(([key, all]) => (all.length === 0 ? [] : [[key, [...new Set(all)].join(', ')]])),
    ),
  };
}
