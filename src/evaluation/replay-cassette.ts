import { randomUUID } from 'node:crypto';
import type { Client } from '../client/client.ts';
import { fileSystemCode } from '../process/error-codes.ts';
import { messageOf } from '../process/message-of.ts';
import { objectAt } from '../process/objects.ts';
import { describeDivergence } from '../replay/divergence-text.ts';
import { RunFileError } from '../replay/read-run-file.ts';
import type { Kinds, SavedRun } from '../replay/run-file.ts';
import { requestOf } from '../run-files/replay-run-file.ts';
import { openRunFile } from '../run-files/run-file-on-disk.ts';
import { readOutline } from '../run-files/run-file-outline.ts';
import { addRecordings, makeThread } from '../run-files/upload-run-file.ts';
import { type FollowedRun, followRun } from './follow-run.ts';
import type { RunRequest } from './run-request.ts';

/**
 * Runs a graph on an example with the recorded answers in a run file. A request that was not recorded is refused, and
 * ends the run. Questions of the graph are answered as in the file.
 * @param followed records the progress of the run
 * @throws RequestError; the signal's reason when aborted
 */
export async function replayCassette(
  client: Client,
  request: RunRequest & { readonly cassette: string },
  followed: FollowedRun,
  signal: AbortSignal,
): Promise<void> {
  const { cassette, graph } = request;
  const open = (kinds?: Kinds) => openRunFile(cassette, kinds);
  const outline = await readOutline(open).catch((error: unknown) => {
    followed.error = describeFailure(cassette, error);
  });
  if (outline === undefined) return;
  const thread_id = randomUUID();
  try {
    const start = outline.runs[0]?.start ?? null;
    await makeThread(
      client,
      open,
      { threadId: thread_id, graphId: graph, hasHistory: start !== null },
      signal,
    );
    await addRecordings(client, open, thread_id, signal);
    for (const [at, saved] of outline.runs.entries()) {
      const position = { isFirst: at === 0, isLast: at === outline.runs.length - 1 };
      const body = {
        ...bodyOf(request, saved, position),
        ...(position.isFirst && start !== null ? { checkpoint_id: start } : {}),
      };
      const stream = await client.runs.stream({ params: { thread_id }, body }, { signal });
      await followRun(stream, followed);
      const params = { thread_id, run_id: followed.runId };
      const { divergence } = await client.recordings.readReplay({ params }, { signal });
      if (divergence !== null) followed.error = describeDivergence(divergence);
      // The next recorded run answers the question of this one.
      const { status } = await client.threads.get({ params: { thread_id } }, { signal });
      if (followed.error !== undefined || status !== 'interrupted') return;
    }
  } finally {
    // A thread that could not be deleted does not change the result of the replay.
    await client.threads.delete({ params: { thread_id } }).catch(() => {});
  }
}

/** The request that repeats a saved run, with the input of the example if it is the first one. */
function bodyOf(
  { graph, inputs, exampleId, experiment, configurable, context }: RunRequest,
  saved: SavedRun,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
) {
  const asked = requestOf(saved);
  return {
    ...asked,
    ...(isFirst ? { input: inputs } : {}),
    assistant_id: graph,
    config: {
      ...asked.config,
      configurable: { ...objectAt(asked.config, 'configurable'), ...configurable },
    },
    context: { ...asked.context, ...context },
    stream_mode: [...new Set([...saved.stream_mode, 'values' as const])],
    on_disconnect: 'cancel' as const,
    langsmith_tracer: {
      project_name: experiment,
      // An example has one trace in an experiment: that of the last run, after all questions are answered. If the
      // replay ends earlier, `evaluateExamples` assigns the trace of the run that ended it.
      ...(isLast ? { example_id: exampleId } : {}),
    },
    replay: { run_id: saved.run_id },
  };
}

function describeFailure(cassette: string, error: unknown): string {
  if (error instanceof RunFileError && fileSystemCode(error.cause) === 'ENOENT') {
    return `The cassette ${cassette} does not exist. Record it with agent-harbor run --record, or remove "cassette" from the example.`;
  }
  return `The cassette ${cassette} could not be read: ${messageOf(error)}`;
}
