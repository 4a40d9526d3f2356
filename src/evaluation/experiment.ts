import { randomBytes, randomUUID } from 'node:crypto';
import type { Client } from '../client/client.ts';
import type { CallOptions } from '../client/transport.ts';
import type { EvaluationResult } from '../contract/evaluators.ts';

/** An experiment: a project whose traces are runs over a dataset. */
export interface Experiment {
  readonly id: string;
  readonly name: string;
}

/** The feedback key for whether a run passed, as in LangSmith's test plugins. */
export const PASS_KEY = 'pass';

/** The metadata that marks experiments on only some examples of a file. They cannot be baselines. */
export const PARTIAL_MARK = 'agent_harbor_partial';

/**
 * Creates an experiment in the same way as LangSmith's `evaluate`.
 * @throws RequestError
 */
export async function createExperiment(
  { tracing }: Pick<Client, 'tracing'>,
  experiment: {
    prefix: string;
    dataset: { id: string; version: string | undefined };
    metadata: Record<string, unknown>;
  },
  options: CallOptions = {},
): Promise<Experiment> {
  const { prefix, dataset, metadata } = experiment;
  const { id, name } = await tracing.sessions.create(
    {
      body: {
        id: randomUUID(),
        name: `${prefix}-${randomBytes(4).toString('hex')}`,
        start_time: new Date().toISOString(),
        reference_dataset_id: dataset.id,
        extra: { metadata: { ...metadata, dataset_version: dataset.version } },
      },
    },
    options,
  );
  return { id, name };
}

/** Marks an experiment as ended. @throws RequestError */
export async function endExperiment(
  { tracing }: Pick<Client, 'tracing'>,
  { id }: Experiment,
  options: CallOptions = {},
): Promise<void> {
  await tracing.sessions.update(
    { params: { session_id: id }, body: { end_time: new Date().toISOString() } },
    options,
  );
}

/**
 * Stores a score as feedback on a run of an experiment. A list as the value is stored as `{ value: […] }`,
 * because feedback cannot have one; a correction is only stored if it is a text or an object.
 * @throws RequestError
 */
export async function storeScore(
  { tracing }: Pick<Client, 'tracing'>,
  run: { readonly runId: string; readonly experiment: Experiment },
  { source_run_id, value, ...result }: EvaluationResult & { readonly error?: boolean },
  options: CallOptions = {},
): Promise<void> {
  await tracing.feedback.create(
    {
      body: {
        ...result,
        ...(value === undefined ? {} : { value: isFeedbackValue(value) ? value : { value } }),
        correction: isCorrection(result.correction) ? result.correction : null,
        id: randomUUID(),
        run_id: run.runId,
        trace_id: run.runId,
        session_id: run.experiment.id,
        feedback_source: {
          type: 'model',
          metadata: source_run_id ? { __run: { run_id: source_run_id } } : {},
        },
      },
    },
    options,
  );
}

function isFeedbackValue(
  value: unknown,
): value is string | number | boolean | Record<string, unknown> | null {
  return value !== undefined && !Array.isArray(value);
}

function isCorrection(value: unknown): value is string | Record<string, unknown> {
  return typeof value === 'string' || (typeof value === 'object' && value !== null && !Array.isArray(value));
}
