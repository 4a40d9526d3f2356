import { z } from 'zod';
import type { Client } from '../client/client.ts';
import { eachPage } from '../client/each-page.ts';
import type { CallOptions } from '../client/transport.ts';
import { dollarsOf } from '../terms/money.ts';
import type { Experiment } from './experiment.ts';
import { Statistics } from './statistics.ts';

const Score = z.object({ n: z.number(), avg: z.number().nullish(), stdev: z.number().nullish() });

/** Metadata that programs record when they run an experiment. */
const Metadata = z.object({
  dataset_version: z.string().optional().catch(undefined),
  num_repetitions: z.int().min(1).optional().catch(undefined),
  graph_id: z.string().optional().catch(undefined),
});
const Extra = z.object({ metadata: Metadata.catch({}) }).catch({ metadata: {} });

/** The maximum number of experiments to read; older ones are left out. */
const MAX_EXPERIMENTS = 500;

/**
 * Reads the newest experiments on a dataset, newest first, at most `MAX_EXPERIMENTS`.
 * @throws RequestError
 */
export async function readExperiments(
  { tracing }: Pick<Client, 'tracing'>,
  datasetId: string,
  options: CallOptions = {},
): Promise<Experiment[]> {
  const found: Experiment[] = [];
  const pages = eachPage({ idOf: ({ id }: Listed) => id, limit: MAX_EXPERIMENTS }, (page) =>
    tracing.sessions.list(
      { query: { ...page, reference_dataset: [datasetId], include_stats: true } },
      options,
    ),
  );
  for await (const page of pages) found.push(...page.map(toExperiment));
  return found;
}

type Listed = Awaited<ReturnType<Client['tracing']['sessions']['list']>>[number];

function toExperiment(session: Listed): Experiment {
  const stats = Statistics.parse(session);
  const cost = dollarsOf(stats.total_cost);
  const { dataset_version, num_repetitions, graph_id } = Extra.parse(session.extra).metadata;
  return {
    id: session.id,
    name: session.name,
    startedAt: session.start_time,
    runs: stats.run_count ?? 0,
    errorRate: stats.error_rate ?? 0,
    scores: scoresOf(stats.feedback_stats),
    ...(typeof stats.latency_p50 === 'number' && { latency: stats.latency_p50 * 1000 }),
    ...(cost !== undefined && { cost }),
    ...(stats.total_tokens && { tokens: stats.total_tokens }),
    ...(dataset_version !== undefined && { datasetVersion: dataset_version }),
    ...(num_repetitions !== undefined && { repetitions: num_repetitions }),
    ...(graph_id !== undefined && { graph: graph_id }),
  };
}

function scoresOf(stats: z.output<typeof Statistics>['feedback_stats']): Experiment['scores'] {
  return Object.fromEntries(
    Object.entries(stats ?? {}).flatMap(([key, value]) => {
      const score = Score.safeParse(value).data;
      if (score === undefined || typeof score.avg !== 'number') return [];
      const { n, avg, stdev } = score;
      const deviation = n > 1 && typeof stdev === 'number' ? { deviation: stdev } : {};
      return [[key, { mean: avg, ...deviation, count: n }]];
    }),
  );
}
