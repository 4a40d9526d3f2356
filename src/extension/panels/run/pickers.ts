import * as vscode from 'vscode';
import type { Client } from '../../../client/client.ts';
import { dateOf } from '../../../terms/times.ts';
import { type AssistantItem, listAssistantItems } from '../../assistants/assistant-items.ts';
import { joinParts, shortId } from '../../wording/format.ts';
import { threadTitle } from '../../wording/titles.ts';

/** The maximum number of threads to choose from: those that changed last. */
const MAX_THREADS = 100;

/** Asks for one of a deployment's assistants; `undefined` when dismissed. */
export async function pickAssistant(client: Client, current: string): Promise<AssistantItem | undefined> {
  const items = listAssistantItems(client).then((assistants) =>
    assistants.map((item) => ({
      ...item,
      iconPath: new vscode.ThemeIcon(item.assistantId === current ? 'check' : 'hubot'),
    })),
  );
  const title = vscode.l10n.t('Select an assistant to run');
  return vscode.window.showQuickPick(items, { title, matchOnDescription: true });
}

interface ChosenThread {
  readonly threadId: string | undefined;
}

const newThread: ChosenThread = { threadId: undefined };

/** Asks for a thread of a graph, or a new one; `undefined` when dismissed. */
export async function pickThread(
  client: Client,
  graphId: string,
  current: string | undefined,
): Promise<ChosenThread | undefined> {
  const found = client.threads.search({
    body: {
      limit: MAX_THREADS,
      sort_by: 'updated_at',
      sort_order: 'desc',
      metadata: { graph_id: graphId },
      select: ['thread_id', 'status', 'metadata', 'updated_at'],
      extract: { title: 'values.messages[0].content' },
    },
  });
  const items = found.then((threads) => [
    {
      label: vscode.l10n.t('New Thread'),
      description: '',
      iconPath: new vscode.ThemeIcon('add'),
      chosen: newThread,
    },
    ...threads.flatMap((thread) =>
      thread.thread_id === undefined
        ? []
        : [
            {
              label: threadTitle(thread) ?? shortId(thread.thread_id),
              description: joinParts(thread.status, dateOf(thread.updated_at)?.toLocaleString()),
              iconPath: new vscode.ThemeIcon(thread.thread_id === current ? 'check' : 'comment-discussion'),
              chosen: { threadId: thread.thread_id },
            },
          ],
    ),
  ]);
  const title = vscode.l10n.t('Select a thread to continue');
  return (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.chosen;
}
