import path from 'node:path';
import * as vscode from 'vscode';
import { MAX_ATTACHED_BYTES } from '../../../terms/file-block.ts';
import { sentenceOf } from '../../dialogs/errors.ts';
import { mimeTypeOf } from '../../documents/file-types.ts';
import type { ChosenFile, ChosenFiles } from './messages.ts';

/** Lets the user choose files to send with a message. Those that are too large or unreadable are reported. */
export async function chooseFiles(): Promise<ChosenFiles> {
  const chosen = await vscode.window.showOpenDialog({
    canSelectMany: true,
    openLabel: vscode.l10n.t('Attach'),
    title: vscode.l10n.t('Attach Files'),
  });
  const read = await Promise.allSettled((chosen ?? []).map(readFile));
  return {
    files: read.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])),
    problems: read.flatMap((outcome) => (outcome.status === 'rejected' ? [sentenceOf(outcome.reason)] : [])),
  };
}

/** @throws Error for a file that is too large or unreadable */
async function readFile(uri: vscode.Uri): Promise<ChosenFile> {
  const name = path.posix.basename(uri.path);
  const { size } = await vscode.workspace.fs.stat(uri);
  if (size > MAX_ATTACHED_BYTES)
    throw new Error(
      vscode.l10n.t('{0} is too large. Attach files of up to {1} MB.', name, MAX_ATTACHED_BYTES / 1_000_000),
    );
  const bytes = await vscode.workspace.fs.readFile(uri);
  return { name, mime: mimeTypeOf(name), data: Buffer.from(bytes).toString('base64') };
}
