import type { Client } from '../client/client.ts';
import { type FollowedRun, followRun } from './follow-run.ts';
import { replayCassette } from './replay-cassette.ts';
import type { RunRequest } from './run-request.ts';

/** The run of a graph on an example. */
export interface ExampleRun {
  /** Empty if the run has no ID, for example because its cassette could not be read. */
  readonly runId: string;
  /** The final values; undefined when the run failed. */
  readonly outputs: Record<string, unknown> | undefined;
  /** Why the run failed, in one sentence. */
  readonly error: string | undefined;
  /** The question to the user with which the run ended, as JSON. */
  readonly question?: string | undefined;
  readonly durationMs: number;
}

/**
 * Runs a graph on an example, on a temporary thread. A run that takes too long is canceled, and counts as failed.
 * @throws RequestError when the run could not be started; the signal's reason when aborted
 */
export async function runExample(
  client: Client,
  request: RunRequest,
  signal: AbortSignal,
): Promise<ExampleRun> {
  const startedAt = performance.now();
  const timeout = AbortSignal.timeout(request.timeoutMs);
  const { cassette } = request;
  const followed: FollowedRun = { runId: '', values: undefined, error: undefined };
  const together = AbortSignal.any([signal, timeout]);
  try {
    if (cassette === undefined) await runLive(client, request, followed, together);
    else await replayCassette(client, { ...request, cassette }, followed, together);
  } catch (thrown) {
    if (signal.aborted || !timeout.aborted) throw thrown;
    followed.error = `The run took longer than ${request.timeoutMs / 1000} s and was canceled.`;
  }
  const durationMs = performance.now() - startedAt;
  const { runId, values, error, question } = followed;
  return { runId, outputs: error === undefined ? outputsOf(values) : undefined, error, question, durationMs };
}

async function runLive(
  { runs }: Pick<Client, 'runs'>,
  { graph, inputs, exampleId, experiment, configurable, context }: RunRequest,
  followed: FollowedRun,
  signal: AbortSignal,
): Promise<void> {
  const stream = await runs.streamStateless(
    {
      body: {
        assistant_id: graph,
        input: inputs,
        stream_mode: ['values'],
        on_disconnect: 'cancel',
        on_completion: 'delete',
        langsmith_tracer: { project_name: experiment, example_id: exampleId },
        ...(configurable === undefined ? {} : { config: { configurable } }),
        ...(context === undefined ? {} : { context }),
      },
    },
    { signal },
  );
  await followRun(stream, followed);
}

/** The final values as outputs. Values that are not an object are wrapped, as in LangSmith's `evaluate`. */
function outputsOf(values: unknown): Record<string, unknown> {
  return typeof values === 'object' && values !== null && !Array.isArray(values)
    ? { ...values }
    : { output: values };
}
