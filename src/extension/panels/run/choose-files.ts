import path from 'node:path';
import * as vscode from 'vscode';
import { MAX_ATTACHED_BYTES } from '../../../terms/file-block.ts';
import { sentenceOf } from '../../dialogs/errors.ts';
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
  return { name, mime: typeOf(name), data: Buffer.from(bytes).toString('base64') };
}

const MIME_TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.bmp': 'image/bmp',
  '.svg': 'image/svg+xml',
  '.mp3': 'audio/mpeg',
  '.wav': 'audio/wav',
  '.ogg': 'audio/ogg',
  '.m4a': 'audio/mp4',
  '.flac': 'audio/flac',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
  '.mov': 'video/quicktime',
  '.pdf': 'application/pdf',
  '.json': 'application/json',
  '.csv': 'text/csv',
  '.html': 'text/html',
  '.md': 'text/markdown',
  '.txt': 'text/plain',
  '.log': 'text/plain',
};

/** The MIME type of a file, in the spelling that model providers expect; they refuse types that they do not know. */
function typeOf(name: string): string {
  return MIME_TYPES[path.posix.extname(name).toLowerCase()] ?? 'application/octet-stream';
}
