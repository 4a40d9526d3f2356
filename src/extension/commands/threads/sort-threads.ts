import * as vscode from 'vscode';
import { sortLabel, THREAD_SORTS, type ThreadOptions } from '../../views/thread-options.ts';
import type { Command } from '../command.ts';

/** Asks for the order of the Threads view. */
export const sortThreads: Command<{ readonly threadOptions: ThreadOptions }> = async ({
  threadOptions: { sort },
}) => {
  const items = THREAD_SORTS.map((value) => ({
    label: sortLabel(value),
    // A blank icon aligns the other items with the checked one.
    iconPath: new vscode.ThemeIcon(value === sort.value ? 'check' : 'blank'),
    value,
  }));
  const chosen = await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Sort Threads') });
  if (chosen !== undefined) await sort.set(chosen.value);
};
