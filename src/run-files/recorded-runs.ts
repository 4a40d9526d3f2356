import type { Client } from '../client/client.ts';
import { eachPage } from '../client/each-page.ts';
import type { CallOptions } from '../client/transport.ts';
import { RunFileError } from '../replay/read-run-file.ts';
import { millisecondsOf } from '../terms/times.ts';
import { RunKwargs } from './run-settings.ts';

/** A run as its server stores it, recorded or not. */
export interface StoredRun {
  readonly runId: string;
  readonly status: string;
  /** When the run ended, in milliseconds since 1970. */
  readonly endedAt: number;
  readonly kwargs: RunKwargs;
}

/**
 * Finds a recorded run, and the recorded runs of its thread that it continues.
 * @returns oldest first, so the run itself is the last
 * @throws RunFileError when it was not recorded, or has not ended
 */
export async function findRecordedRuns(
  client: Pick<Client, 'runs'>,
  { threadId, runId }: { readonly threadId: string; readonly runId: string },
  options: CallOptions = {},
): Promise<StoredRun[]> {
  const found: StoredRun[] = [];
  for await (const run of listRuns(client, threadId, options)) {
    if (found.length === 0 && run.runId !== runId) continue;
    if (found.length === 0 && !run.kwargs.record) {
      throw new RunFileError(`run ${runId} was not recorded. Run it again with recording turned on.`);
    }
    if (run.status === 'pending' || run.status === 'running') {
      throw new RunFileError(`run ${run.runId} has not ended.`);
    }
    if (!run.kwargs.record) break;
    found.unshift(run);
    if (!continues(run)) break;
  }
  if (found.length === 0) throw new RunFileError(`thread ${threadId} has no run ${runId}.`);
  return found;
}

/**
 * Finds the last of the recorded runs that continue a run, so that a file of this last run includes them all.
 * @returns the ID of the run itself if no run continues it; undefined when it was not recorded
 */
export async function findLastOfRecording(
  client: Pick<Client, 'runs'>,
  { threadId, runId }: { readonly threadId: string; readonly runId: string },
  options: CallOptions = {},
): Promise<string | undefined> {
  let last: string | undefined;
  for await (const run of listRuns(client, threadId, options)) {
    last = run.kwargs.record ? (last ?? run.runId) : undefined;
    if (run.runId === runId) return last;
    if (!continues(run)) last = undefined;
  }
  return undefined;
}

/** Lists the runs of a thread, newest first. */
async function* listRuns(
  { runs }: Pick<Client, 'runs'>,
  threadId: string,
  options: CallOptions,
): AsyncGenerator<StoredRun, void, undefined> {
  const params = { thread_id: threadId };
  const idOf = ({ run_id }: { readonly run_id?: string | undefined }) => run_id;
  const pages = eachPage({ idOf }, (query) => runs.list({ params, query }, options));
  for await (const page of pages) {
    // Servers always report these fields; the type says that any may be missing.
    for (const { run_id = '', status = '', updated_at, kwargs } of page) {
      const endedAt = millisecondsOf(updated_at) ?? Date.now();
      yield { runId: run_id, status, endedAt, kwargs: RunKwargs.parse(kwargs ?? {}) };
    }
  }
}

/**
 * Whether a run has no input of its own: it answers a question, or continues after a breakpoint or an error.
 */
function continues({ kwargs: { input, command } }: StoredRun): boolean {
  return input === null || input === undefined || (command !== null && command !== undefined);
}
