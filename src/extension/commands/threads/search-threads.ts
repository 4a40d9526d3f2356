import * as vscode from 'vscode';
import type { Deployments } from '../../deployments/deployments.ts';
import { MAX_THREADS, type ThreadOptions } from '../../views/thread-options.ts';
import type { Command } from '../command.ts';

interface SearchThreadsParts {
  readonly deployments: Deployments;
  readonly threadOptions: ThreadOptions;
}

/** Filters the Threads view by words in names, inputs or outputs, or by an ID. */
export const searchThreads: Command<SearchThreadsParts> = async ({
  deployments,
  threadOptions: { filter },
}) => {
  const title = vscode.l10n.t('Search Threads');
  const answer = await vscode.window.showInputBox({
    title,
    prompt: vscode.l10n.t(
      'Words from a name, an input, or an answer, or an ID. Leave empty to show all threads.',
    ),
    value: filter.value.text ?? '',
  });
  if (answer === undefined) return;
  const text = answer.trim();
  if (text === '') {
    await filter.clear();
    return;
  }
  const { findThreads } = await import('../../views/find-threads.ts');
  const view = { viewId: 'agentHarbor.threads' };
  const ids = await vscode.window.withProgress({ location: view, title }, async () =>
    findThreads(await deployments.open(), text, MAX_THREADS),
  );
  await filter.set({ ids, text });
};
