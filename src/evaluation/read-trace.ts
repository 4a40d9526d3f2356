import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../client/client.ts';
import { withPlainMessages } from '../client/plain-messages.ts';
import type { RunRead } from '../contract/tracing/runs.ts';

/** A run with the runs below it, as LangSmith's evaluators get it. */
export interface RunWithChildren extends RunRead {
  child_runs: RunWithChildren[];
}

/** The pauses before attempts to read a trace. */
const PAUSES_MS = [0, 20, 50, 100, 200, 400, 800, 1_600, 3_200];

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
    await sleep(pause, undefined, { signal });
    const root = treeOf(await readRuns({ tracing }, runId, signal), runId);
    if (root !== undefined && root.status !== 'pending') return root;
  }
  return undefined;
}

/** A run with the fields that a query selected. */
type SelectedRun = Awaited<ReturnType<Client['tracing']['runs']['query']>>['runs'][number];

const SELECT = [
  ...['id', 'name', 'run_type', 'status', 'trace_id', 'dotted_order', 'parent_run_id', 'session_id'],
  'reference_example_id',
  ...['start_time', 'end_time', 'inputs', 'outputs', 'error', 'extra', 'tags'],
  ...['total_tokens', 'prompt_tokens', 'completion_tokens', 'total_cost'],
];

async function readRuns(
  { tracing }: Pick<Client, 'tracing'>,
  traceId: string,
  signal: AbortSignal,
): Promise<SelectedRun[]> {
  const all: SelectedRun[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await tracing.runs.query(
      { body: { trace: traceId, order: 'asc', limit: 100, select: SELECT, cursor: cursor ?? null } },
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
