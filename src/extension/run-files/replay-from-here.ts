import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import type { Kinds } from '../../replay/run-file.ts';
import { makeRunFile, type SavedRunRef } from '../../run-files/make-run-file.ts';
import { findLastOfRecording } from '../../run-files/recorded-runs.ts';
import { openRunFile, saveRunFile } from '../../run-files/run-file-on-disk.ts';
import { readOutline } from '../../run-files/run-file-outline.ts';
import { findStart } from '../../run-files/run-file-states.ts';
import type { OpenDeployment } from '../deployments/open-deployment.ts';
import { withCancel } from '../dialogs/with-cancel.ts';
import { runIdOf } from '../states/checkpoint-ids.ts';
import { readStateAt } from '../states/state-at.ts';
import { describeProjectOf } from './describe-project-of.ts';
import { noRecordingError } from './find-recorded-run.ts';
import { type ReplayParts, replayLines } from './replay-lines.ts';

/** A state of a recorded thread. */
interface RecordedState {
  /** The key of its deployment. */
  readonly deployment: string;
  readonly threadId: string;
  readonly checkpointId: string;
}

/**
 * Replays the steps after a state of a recorded thread, on a new thread: with the current code, and with the
 * recorded answers.
 * @throws Error when no recorded run made the state, RunFileError, RequestError, EnvFileError
 */
export async function replayFromHere(
  parts: ReplayParts,
  { deployment, threadId, checkpointId }: RecordedState,
): Promise<void> {
  const opened = await parts.deployments.open(deployment);
  const ref = await findRecording(opened, threadId, checkpointId);
  const folder = await mkdtemp(path.join(tmpdir(), 'agent-harbor-replay-'));
  try {
    const file = path.join(folder, 'thread.agentrun');
    await saveThread(opened, ref, file);
    const open = (kinds?: Kinds) => openRunFile(file, kinds);
    const from = await findStart(open, await readOutline(open), checkpointId);
    const { graphId } = ref;
    const name = from.step < 0 ? graphId : vscode.l10n.t('{0} from step {1}', graphId, from.step);
    await replayLines(parts, { name, open, graphId, opened }, { tools: 'recorded', allowNew: false, from });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Finds the recording that a state belongs to, with the recorded runs that continue it. */
async function findRecording(
  { client }: OpenDeployment,
  threadId: string,
  checkpointId: string,
): Promise<SavedRunRef> {
  const [{ metadata }, state] = await Promise.all([
    client.threads.get({ params: { thread_id: threadId } }),
    readStateAt(client, threadId, checkpointId),
  ]);
  const madeBy = runIdOf(state);
  const runId = madeBy && (await findLastOfRecording(client, { threadId, runId: madeBy }));
  const graphId = metadata?.graph_id;
  if (runId === undefined || typeof graphId !== 'string') throw noRecordingError();
  return { threadId, runId, graphId };
}

async function saveThread({ client, config }: OpenDeployment, ref: SavedRunRef, file: string): Promise<void> {
  const project = await describeProjectOf(config);
  await withCancel(vscode.l10n.t('Reading the run'), (signal) =>
    saveRunFile(file, makeRunFile(client, ref, { project, signal })),
  );
}
