import * as vscode from 'vscode';
import { isNotFound } from '../../../client/request-error.ts';
import type { Trees } from '../../views/live-refresh.ts';
import { ThreadElement } from '../../views/threads.ts';
import { rowCommand } from '../command.ts';

/** The maximum number of threads named in the question. */
const MAX_NAMED = 10;

/** Deletes the selected threads with their states and runs, after asking. Their traces stay. */
export const deleteThread = rowCommand(
  [ThreadElement],
  async ({ trees }: { readonly trees: Trees }, first, threads) => {
    const confirm = vscode.l10n.t('Delete');
    const question =
      threads.length === 1
        ? vscode.l10n.t('Delete the thread “{0}”?', first.label)
        : vscode.l10n.t('Delete {0} threads?', threads.length);
    const detail =
      threads.length === 1
        ? vscode.l10n.t('This permanently deletes its state and runs. Traces are kept.')
        : [
            ...threads.slice(0, MAX_NAMED).map(({ label }) => label),
            ...(threads.length > MAX_NAMED ? [vscode.l10n.t('{0} more', threads.length - MAX_NAMED)] : []),
            '',
            vscode.l10n.t('This permanently deletes their states and runs. Traces are kept.'),
          ].join('\n');
    const chosen = await vscode.window.showWarningMessage(question, { modal: true, detail }, confirm);
    if (chosen !== confirm) return;
    const location = { viewId: 'agentHarbor.threads' };
    try {
      await vscode.window.withProgress({ location }, async () => {
        for (const { opened, thread } of threads) {
          await opened.client.threads
            .delete({ params: { thread_id: thread.thread_id } })
            // If the thread was already deleted, there is nothing to do.
            .catch((error) => {
              if (!isNotFound(error)) throw error;
            });
        }
      });
    } finally {
      trees.threads.refresh();
    }
  },
);
