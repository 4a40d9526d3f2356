import * as vscode from 'vscode';
import type { Command } from '../command.ts';
import { type DraftParts, draftOf } from './draft-of.ts';

/** Discards the given draft, or the one in the active editor, after asking. */
export const discardDraft: Command<DraftParts> = async (parts, given) => {
  const { documents, uri } = draftOf(parts, given);
  if (uri === undefined || documents === undefined) return;
  const discard = vscode.l10n.t('Discard Draft');
  const message = vscode.l10n.t('Discard this draft? Its text will be lost.');
  if ((await vscode.window.showWarningMessage(message, { modal: true }, discard)) !== discard) return;
  await documents.discardDraft(uri);
};
