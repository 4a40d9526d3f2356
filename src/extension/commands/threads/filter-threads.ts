import * as vscode from 'vscode';

import type { ThreadOptions } from '../../views/thread-options.ts';
import { formatPairs, parsePairs } from '../../wording/metadata-pairs.ts';
import { pairsProblem } from '../arguments/pairs-problem.ts';
import type { Command } from '../command.ts';

/** Filters the Threads view by metadata. */
export const filterThreads: Command<{ readonly threadOptions: ThreadOptions }> = async ({
  threadOptions: { filter },
}) => {
  const text = await vscode.window.showInputBox({
    title: vscode.l10n.t('Filter Threads by Metadata'),
    prompt: vscode.l10n.t('Metadata to match. Leave empty to show all threads.'),
    placeHolder: 'graph_id=agent user="Ada L."',
    value: formatPairs(filter.value.metadata ?? {}),
    validateInput: pairsProblem,
  });
  if (text === undefined) return;
  const pairs = parsePairs(text);
  if (Object.keys(pairs).length === 0) await filter.clear();
  else await filter.set({ metadata: pairs });
};
