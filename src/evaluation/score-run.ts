import type { Client } from '../client/client.ts';
import { RequestError } from '../client/request-error.ts';
import type { EvaluationResult } from '../contract/evaluators.ts';
import { isoTime } from '../terms/times.ts';
import type { ExampleLine } from './dataset-file.ts';
import type { RunWithChildren } from './read-trace.ts';
import type { ExampleRun } from './run-example.ts';

/** An evaluator in a project. */
export interface EvaluatorReference {
  /** Relative to the folder of langgraph.json. */
  readonly file: string;
  readonly name: string;
}

/** A score, or the reason why there is none. */
export interface Score extends EvaluationResult {
  readonly evaluator: string;
  readonly error?: string;
}

export interface ScoreRequest {
  readonly deploymentId: string;
  readonly evaluators: readonly EvaluatorReference[];
  readonly example: ExampleLine;
  readonly exampleId: string;
  readonly datasetId: string;
  readonly run: ExampleRun;
  readonly trace: RunWithChildren | undefined;
  readonly timeoutMs: number;
}

/**
 * Calls every evaluator with a run. For an evaluator that throws or takes too long, there is a score with an error.
 * @throws the signal's reason when aborted
 */
export async function scoreRun(
  client: Pick<Client, 'evaluators'>,
  request: ScoreRequest,
  signal: AbortSignal,
): Promise<Score[]> {
  const scores = await Promise.all(
    request.evaluators.map((evaluator) => callEvaluator(client, request, evaluator, signal)),
  );
  return scores.flat();
}

async function callEvaluator(
  { evaluators }: Pick<Client, 'evaluators'>,
  request: ScoreRequest,
  { file, name }: EvaluatorReference,
  signal: AbortSignal,
): Promise<Score[]> {
  const { deploymentId, timeoutMs } = request;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const { results } = await evaluators.run(
      {
        params: { deployment_id: deploymentId },
        body: { file, name, run: runOf(request), example: exampleOf(request) },
      },
      { signal: AbortSignal.any([signal, timeout]), retries: 0 },
    );
    return results.map((result) => ({ ...result, evaluator: name }));
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (timeout.aborted) {
      return [failed(name, `The evaluator took longer than ${timeoutMs / 1000} s.`)];
    }
    if (error instanceof RequestError) return [failed(name, sentenceOf(error))];
    throw error;
  }
}

/** The message of the error that the evaluator threw, without the HTTP request that called the evaluator. */
function sentenceOf({ detail, message }: RequestError): string {
  return typeof detail === 'string' ? detail : message;
}

function failed(name: string, error: string): Score {
  return { evaluator: name, key: name, comment: error, error };
}

/** The run as evaluators for LangSmith expect it: its trace, with the inputs and outputs of the graph. */
function runOf({ run, trace, example, exampleId }: ScoreRequest): Record<string, unknown> {
  const root = trace ?? {
    id: run.runId,
    trace_id: run.runId,
    name: 'LangGraph',
    run_type: 'chain',
    start_time: isoTime(Date.now() - run.durationMs),
    dotted_order: '',
    child_runs: [],
  };
  return { ...root, inputs: example.inputs, outputs: run.outputs, reference_example_id: exampleId };
}

function exampleOf({ example, exampleId, datasetId }: ScoreRequest): Record<string, unknown> {
  const { inputs, outputs, metadata, split } = example;
  return {
    id: exampleId,
    dataset_id: datasetId,
    inputs,
    outputs: outputs ?? null,
    metadata: {
      ...metadata,
      dataset_split: split === undefined || split === null ? ['base'] : [split].flat(),
    },
    created_at: new Date().toISOString(),
  };
}
