import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { makeRunFile } from '../../run-files/make-run-file.ts';
import { replaceFile } from '../../run-files/replace-file.ts';
import { saveRunFile } from '../../run-files/run-file-on-disk.ts';
import type { OpenDeployment } from '../deployments/open-deployment.ts';
import { withCancel } from '../dialogs/with-cancel.ts';
import { segment } from '../documents/address-segments.ts';
import { describeContents } from './describe-contents.ts';
import { describeProjectOf } from './describe-project-of.ts';
import { findRecordedRun } from './find-recorded-run.ts';
import { RunFileContents } from './run-file-contents.ts';
import type { RunReviews } from './run-reviews.ts';

export interface RunToSave {
  /** The deployment with its thread. */
  readonly opened: OpenDeployment;
  readonly threadId: string;
  readonly graphId: string;
  /** The recorded run; by default the newest one of the thread. */
  readonly runId?: string | undefined;
}

/**
 * Saves a recorded run as a file, after a preview of its contents.
 * @param place where to save it; by default the user chooses
 * @returns whether it was saved
 * @throws RunFileError, RequestError, EnvFileError, or the error of the file system
 */
export async function saveRun(run: RunToSave, reviews: RunReviews, place?: vscode.Uri): Promise<boolean> {
  const folder = await mkdtemp(path.join(tmpdir(), 'agent-harbor-run-'));
  try {
    const file = path.join(folder, `${segment(run.graphId)}.agentrun`);
    const contents = await writeFileFor(run, file);
    if (!(await confirm(file, contents, reviews, place))) return false;
    const target = place ?? (await askWhere(path.basename(file)));
    if (target === undefined) return false;
    await mkdir(path.dirname(target.fsPath), { recursive: true });
    await replaceFile(target.fsPath, createReadStream(file));
    return true;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeFileFor(
  { opened, threadId, graphId, runId }: RunToSave,
  file: string,
): Promise<RunFileContents> {
  const contents = new RunFileContents();
  const { client, config } = opened;
  const found = await findRecordedRun(client, threadId, runId);
  const project = await describeProjectOf(config);
  await withCancel(vscode.l10n.t('Reading the run'), (signal) => {
    const lines = makeRunFile(client, { threadId, runId: found, graphId }, { project, signal });
    return saveRunFile(file, contents.count(lines));
  });
  return contents;
}

/** Asks whether to save the file, with a preview of its contents. @returns whether to save it */
async function confirm(
  file: string,
  contents: RunFileContents,
  reviews: RunReviews,
  place?: vscode.Uri,
): Promise<boolean> {
  const save = place === undefined ? vscode.l10n.t('Save…') : vscode.l10n.t('Save');
  const show = vscode.l10n.t('Show Contents');
  const chosen = await vscode.window.showInformationMessage(
    vscode.l10n.t('Save this run as a file?'),
    { modal: true, detail: describeContents(contents) },
    save,
    show,
  );
  if (chosen !== show) return chosen === save;
  return reviews.review(vscode.Uri.file(file));
}

async function askWhere(fileName: string): Promise<vscode.Uri | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  return vscode.window.showSaveDialog({
    title: vscode.l10n.t('Save Run as File'),
    filters: { [vscode.l10n.t('Runs')]: ['agentrun'] },
    ...(folder && { defaultUri: vscode.Uri.joinPath(folder, fileName) }),
  });
}
