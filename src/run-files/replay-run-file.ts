import { randomUUID } from 'node:crypto';
import type { Client } from '../client/client.ts';
import { Masker, type SecretValue } from '../replay/mask.ts';
import type { SavedEnd, SavedRun } from '../replay/run-file.ts';
import { compareResults, endedDifferently } from './compare-replay.ts';
import { readError } from './make-run-file.ts';
import type { Ends, ReplayOutcome, ReplayProgress } from './replay-outcome.ts';
import { type OpenLines, type RunFileOutline, readOutline } from './run-file-outline.ts';
import type { StartState } from './run-file-states.ts';
import { addRecordings, makeThread } from './upload-run-file.ts';

export interface ReplayOptions {
  readonly tools: 'recorded' | 'live';
  /** Whether requests that were not recorded are sent to their models and tools. */
  readonly allowNew: boolean;
  /** Secrets that are masked in the values before they are compared. */
  readonly secrets: readonly SecretValue[];
  readonly signal: AbortSignal;
  /** The outline of the file, if the caller has read it. */
  readonly outline?: RunFileOutline;
  /** The state to begin with, instead of that of the file's first run. */
  readonly from?: StartState | undefined;
  /** The tracing project of the replay; by default that of the deployment. */
  readonly tracingProject?: string;
  /** Called when the thread of the replay has been created. */
  readonly onThread?: (threadId: string) => void;
}

/**
 * Runs the saved runs of a file again, on a new thread, and compares them with the recorded ones.
 * @returns the first difference; later runs are then not started
 * @throws RunFileError, RequestError
 */
export async function replayRunFile(
  client: Client,
  open: OpenLines,
  options: ReplayOptions,
): Promise<ReplayOutcome> {
  const { signal, tools, allowNew, from } = options;
  const { head, runs, ends } = options.outline ?? (await readOutline(open));
  const threadId = randomUUID();
  const hasHistory = from !== undefined || runs[0]?.start !== null;
  await makeThread(client, open, { threadId, graphId: head.graph_id, hasHistory }, signal);
  options.onThread?.(threadId);
  await addRecordings(client, open, threadId, signal);
  const done: ReplayProgress = { threadId, runId: '', answered: 0, live: 0, isNew: false, ends: undefined };
  const runIds: string[] = [];
  for (const [at, saved] of runs.slice(from?.run ?? 0).entries()) {
    const isContinued = at === 0 && from !== undefined;
    // Later runs continue from the current state of the thread.
    const replayed = at === 0 ? saved : { ...saved, start: null };
    const params = await startReplay(client, threadId, replayed, {
      graphId: head.graph_id,
      isContinued,
      options,
    });
    runIds.push(params.run_id);
    await client.runs.join({ params }, { signal });
    const report = await client.recordings.readReplay({ params }, { signal });
    done.runId = params.run_id;
    done.answered += report.answered;
    done.live += report.live;
    const { divergence, unused } = report;
    if (divergence !== null) done.isNew = true;
    done.ends = await readEnds(client, params, ends.get(saved.run_id), options);
    if (divergence !== null && !allowNew) return { ...done, kind: 'diverged', divergence };
    if (endedDifferently(done.ends)) return { ...done, kind: 'ended' };
    // Recorded requests from before the given state are not repeated.
    if (unused.length > 0 && tools === 'recorded' && !allowNew && !isContinued)
      return { ...done, kind: 'unused', unused };
  }
  const recorded = ends.get(runs.at(-1)?.run_id ?? '');
  return {
    ...done,
    ...(await compareResults(client, threadId, runIds, recorded, {
      secrets: options.secrets,
      isContinued: from !== undefined,
      signal,
    })),
  };
}

/**
 * Starts the replay of a saved run.
 * @param isContinued whether the run continues from a state instead of starting from its input
 */
async function startReplay(
  client: Client,
  threadId: string,
  saved: SavedRun,
  { graphId, isContinued, options }: { graphId: string; isContinued: boolean; options: ReplayOptions },
): Promise<{ thread_id: string; run_id: string }> {
  const { signal, tools, allowNew, from, tracingProject } = options;
  const start = from !== undefined && isContinued ? from.checkpointId : saved.start;
  const params = { thread_id: threadId };
  const body = {
    assistant_id: graphId,
    ...requestOf(isContinued ? { ...saved, input: null, command: null } : saved),
    ...(start === null ? {} : { checkpoint_id: start }),
    replay: { run_id: saved.run_id, tools, allow_new: allowNew },
    ...(tracingProject === undefined ? {} : { langsmith_tracer: { project_name: tracingProject } }),
  };
  const { run_id } = await client.runs.create({ params, body }, { signal });
  return { ...params, run_id };
}

async function readEnds(
  client: Client,
  params: { readonly thread_id: string; readonly run_id: string },
  saved: SavedEnd | undefined,
  { secrets, signal }: ReplayOptions,
): Promise<Ends> {
  const recorded = saved && { status: saved.status, error: saved.error ?? undefined };
  const { status } = await client.runs.get({ params }, { signal });
  if (status !== 'error') return { recorded, now: { status } };
  const error = await readError(client, params, new Masker(secrets), { signal });
  return { recorded, now: { status, error } };
}

/** The body of the request that repeats a saved run. */
export function requestOf({ input, command, kind: _, run_id: _id, start: _start, ...asked }: SavedRun) {
  return {
    ...(command === null || command === undefined ? { input } : { command: Object(command) }),
    ...asked,
  };
}
