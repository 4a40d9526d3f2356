import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../client/client.ts';
import { withPlainMessages } from '../client/plain-messages.ts';
import type { RunRead } from '../contract/tracing/runs.ts';
import { type FollowedRun, followRun } from './follow-run.ts';
import { replayCassette } from './replay-cassette.ts';
import type { RunRequest } from './run-request.ts';

/** The run of a graph on an example. */
export interface ExampleRun {
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

/** A run with the runs below it, as LangSmith's evaluators get it. */
export interface RunWithChildren extends RunRead {
  child_runs: RunWithChildren[];
}

/** The pauses between attempts to read a trace. */
const PAUSES_MS = [20, 50, 100, 200, 400, 800, 1_600, 3_200];

/**
 * Reads the trace of a run, and waits until its root has ended.
 * @returns undefined when that takes longer than six seconds, for example because tracing is turned off
 * @throws RequestError; the signal's reason when aborted
 */
export async function readTrace(
  { tracing }: Pick<Client, 'tracing'>,
  runId: string,
  signal: AbortSignal,
): Promise<RunWithChildren | undefined> {
  for (const pause of PAUSES_MS) {
    const root = treeOf(await readRuns({ tracing }, runId, signal), runId);
    if (root !== undefined && root.status !== 'pending') return root;
    await sleep(pause, undefined, { signal });
  }
  return undefined;
}

/** A run with the fields that a query selected. */
type SelectedRun = Awaited<ReturnType<Client['tracing']['runs']['query']>>['runs'][number];

const SELECT = [
  ...['id', 'name', 'run_type', 'status', 'trace_id', 'dotted_order', 'parent_run_id', 'session_id'],
  ...['start_time', 'end_time', 'inputs', 'outputs', 'error', 'extra', 'tags'],
  ...['total_tokens', 'prompt_tokens', 'completion_tokens', 'total_cost'],
];

async function readRuns(
  { tracing }: Pick<Client, 'tracing'>,
  trace: string,
  signal: AbortSignal,
): Promise<SelectedRun[]> {
  const all: SelectedRun[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await tracing.runs.query(
      { body: { trace, order: 'asc', limit: 100, select: SELECT, cursor: cursor ?? null } },
      { signal },
    );
    all.push(...page.runs);
    cursor = page.cursors.next;
  } while (cursor);
  return all;
}

function treeOf(runs: readonly SelectedRun[], rootId: string): RunWithChildren | undefined {
  const all = new Map(runs.flatMap((run) => (isWhole(run) ? [[run.id, plain(run)] as const] : [])));
  for (const run of all.values()) all.get(run.parent_run_id ?? '')?.child_runs.push(run);
  return all.get(rootId);
}

function isWhole(run: SelectedRun): run is RunRead {
  return run.id !== undefined && run.start_time !== undefined;
}

function plain(run: RunRead): RunWithChildren {
  const [inputs, outputs] = [withPlainMessages(run.inputs), withPlainMessages(run.outputs)];
  return { ...run, inputs: fieldsOf(inputs), outputs: fieldsOf(outputs), child_runs: [] };
}

function fieldsOf(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null ? { ...value } : null;
}
