import * as vscode from 'vscode';
import { describeProject } from '../../run-files/describe-project.ts';
import { type ReplayOptions, replayRunFile } from '../../run-files/replay-run-file.ts';
import type { OpenLines } from '../../run-files/run-file-outline.ts';
import { standInSecret } from '../../run-files/stand-in-variables.ts';
import type { Deployments } from '../deployments/deployments.ts';
import type { OpenDeployment } from '../deployments/open-deployment.ts';
import type { RunTarget } from '../deployments/run-target.ts';
import type { JsonDocuments } from '../documents/documents.ts';
import { showOutcome } from './show-outcome.ts';
import { withCancel } from './with-cancel.ts';

export interface ReplayParts {
  readonly deployments: Deployments;
  readonly documents: JsonDocuments;
  readonly openRunPanel: (target: RunTarget) => Promise<void>;
}

export interface Replayed {
  /** The name of the replayed run or file. */
  readonly name: string;
  readonly open: OpenLines;
  readonly graphId: string;
  /** Where it runs. */
  readonly opened: OpenDeployment;
}

/** How requests are answered, and with which state it begins. */
export type How = Pick<ReplayOptions, 'tools' | 'allowNew' | 'from'>;

/**
 * Runs the lines of a run file again with their recorded answers, and shows where the replay differs. If it does,
 * its thread is kept.
 * @throws RunFileError, RequestError, EnvFileError
 */
export async function replayLines(
  { documents, openRunPanel }: ReplayParts,
  { name, open, graphId, opened }: Replayed,
  how: How,
): Promise<void> {
  const { key, client, config } = opened;
  const known = config === undefined ? [] : (await describeProject(config.uri.fsPath, process.env)).secrets;
  const secrets = [...known, standInSecret];
  const outcome = await withCancel(vscode.l10n.t('Replaying {0}', name), (signal) =>
    replayRunFile(client, open, { ...how, secrets, signal }),
  );
  const params = { thread_id: outcome.threadId };
  if (outcome.kind === 'same' && !outcome.isNew) await client.threads.delete({ params });
  else {
    const metadata = { name: vscode.l10n.t('Replay of {0}', name) };
    await client.threads.update({ params, body: { metadata } });
  }
  const shown = await showOutcome(documents, name, outcome);
  if (shown !== 'open thread') return;
  const { threadId } = outcome;
  await openRunPanel({ deployment: key, assistantId: graphId, name: graphId, threadId });
}
