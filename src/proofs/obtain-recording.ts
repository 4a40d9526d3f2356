import type { Client } from '../client/client.ts';
import { isNotFound } from '../client/request-error.ts';
import type { RunFileLine } from '../replay/run-file.ts';
import type { DescribedProject } from '../run-files/describe-project.ts';
import { makeRunFile, type SavedRunRef } from '../run-files/make-run-file.ts';
import { findLastOfRecording } from '../run-files/recorded-runs.ts';
import { findBounds } from '../run-files/run-bounds.ts';
import { RunKwargs, settingsOf } from '../run-files/run-settings.ts';

/** The error for a run that cannot be replayed, because it has no recording. */
export class NotRecordedError extends Error {
  override readonly name = 'NotRecordedError';
  /** Whether running the run's input again would make a recording. */
  readonly canRunAgain: boolean;

  constructor(message: string, { canRunAgain }: { readonly canRunAgain: boolean }) {
    super(message);
    this.canRunAgain = canRunAgain;
  }
}

export interface RecordingOptions {
  readonly project: DescribedProject;
  readonly signal: AbortSignal;
  /** Whether to run the input again, with real models and tools, when the run was not recorded. */
  readonly runAgain: boolean;
}

/** A recorded run: the requested one, or another with its input. */
export interface Recording {
  readonly run: SavedRunRef;
  /** Whether the input of the requested run was run again to be recorded. */
  readonly ranAgain: boolean;
  readonly lines: AsyncIterable<RunFileLine>;
}

/**
 * Obtains the recording of a run as the lines of a run file. A run that was not recorded is run again if the options
 * allow that, which sends requests to its models and tools.
 * @throws NotRecordedError if the run was not recorded and is not, or cannot be, run again; RequestError
 */
export async function obtainRecording(
  client: Client,
  ref: SavedRunRef,
  { project, signal, runAgain }: RecordingOptions,
): Promise<Recording> {
  const last = await findLastOfRecording(client, ref, { signal }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
    throw new NotRecordedError(
      `The thread of run ${ref.runId} is not here: it was deleted, or belongs to another deployment.`,
      { canRunAgain: false },
    );
  });
  const linesOf = (run: SavedRunRef) => makeRunFile(client, run, { project, signal });
  if (last !== undefined) {
    const run = { ...ref, runId: last };
    return { run, ranAgain: false, lines: linesOf(run) };
  }
  if (!runAgain) {
    throw new NotRecordedError(
      `Run ${ref.runId} was not recorded, so there are no answers for a replay. Its input can be run again, with its models and tools, and recorded.`,
      { canRunAgain: true },
    );
  }
  const run = await runRecorded(client, ref, signal);
  return { run, ranAgain: true, lines: linesOf(run) };
}

/**
 * Runs the input of a run again as it was requested, from the state that it began with, and records its requests. Its
 * thread does not change: the run is on a new thread, or on a copy.
 */
async function runRecorded(client: Client, ref: SavedRunRef, signal: AbortSignal): Promise<SavedRunRef> {
  const place = { thread_id: ref.threadId, run_id: ref.runId };
  const { assistant_id = ref.graphId, kwargs } = await client.runs.get({ params: place }, { signal });
  const requested = RunKwargs.parse(kwargs ?? {});
  const { input } = requested;
  if (input === undefined || input === null) {
    throw new NotRecordedError(
      `Run ${ref.runId} has no input of its own: it continues another. Run the first run of its thread again instead.`,
      { canRunAgain: false },
    );
  }
  const start = (await findBounds(client, ref.threadId, signal)).get(ref.runId)?.start ?? null;
  const { thread_id } =
    start === null
      ? await client.threads.create({ body: { metadata: { graph_id: ref.graphId } } }, { signal })
      : await client.threads.copy({ params: { thread_id: ref.threadId } }, { signal });
  const body = {
    assistant_id,
    input,
    ...settingsOf(requested),
    ...(requested.max_cost != null && { max_cost: requested.max_cost }),
    ...(start !== null && { checkpoint_id: start }),
    record: true,
  };
  const { run_id } = await client.runs.create({ params: { thread_id }, body }, { signal });
  await client.runs.join({ params: { thread_id, run_id } }, { signal });
  return { threadId: thread_id, runId: run_id, graphId: ref.graphId };
}
