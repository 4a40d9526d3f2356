import * as vscode from 'vscode';
import { type ReplayOptions, replayRunFile } from '../../run-files/replay-run-file.ts';
import type { OpenLines } from '../../run-files/run-file-outline.ts';
import { standInSecret } from '../../run-files/stand-in-variables.ts';
import type { Deployments } from '../deployments/deployments.ts';
import type { OpenDeployment } from '../deployments/open-deployment.ts';
import type { RunTarget } from '../deployments/run-target.ts';
import { withCancel } from '../dialogs/with-cancel.ts';
import type { ReadOnlyDocuments } from '../documents/read-only-documents.ts';
import { describeProjectOf } from './describe-project-of.ts';
import { showOutcome } from './show-outcome.ts';

export interface ReplayParts {
  readonly deployments: Deployments;
  readonly documents: ReadOnlyDocuments;
  readonly openRunPanel: (target: RunTarget) => Promise<void>;
}

interface Replayed {
  /** The name of the replayed run or file. */
  readonly name: string;
  readonly open: OpenLines;
  readonly graphId: string;
  /** The deployment that runs the graph. */
  readonly opened: OpenDeployment;
}

/** The way in which requests are answered, and the state with which the replay begins. */
export type ReplayMode = Pick<ReplayOptions, 'tools' | 'allowNew' | 'from'>;

/**
 * Runs the lines of a run file again with their recorded answers, and shows where the replay differs. If it
 * differs or sends new requests, its thread is kept.
 * @throws RunFileError, RequestError, EnvFileError
 */
export async function replayLines(
  { documents, openRunPanel }: ReplayParts,
  { name, open, graphId, opened }: Replayed,
  mode: ReplayMode,
): Promise<void> {
  const { key, client, config } = opened;
  const { secrets: known } = await describeProjectOf(config);
  const secrets = [...known, standInSecret];
  const outcome = await withCancel(vscode.l10n.t('Replaying {0}', name), (signal) =>
    replayRunFile(client, open, { ...mode, secrets, signal }),
  );
  const params = { thread_id: outcome.threadId };
  if (outcome.kind === 'same' && !outcome.isNew) await client.threads.delete({ params });
  else {
    const metadata = { name: vscode.l10n.t('Replay of {0}', name) };
    await client.threads.update({ params, body: { metadata } });
  }
  if (!(await showOutcome(documents, name, outcome))) return;
  const { threadId } = outcome;
  await openRunPanel({ deployment: key, assistantId: graphId, name: graphId, threadId });
}
