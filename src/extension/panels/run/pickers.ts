import * as vscode from 'vscode';
import type { Client } from '../../../client/client.ts';

const MAX_THREADS = 100;

interface ChosenAssistant {
  readonly assistantId: string;
  readonly graphId: string;
}

/** Asks for one of a deployment's assistants; `undefined` when nobody answers. */
export async function pickAssistant(client: Client, current: string): Promise<ChosenAssistant | undefined> {
  const found = client.assistants.search({
    body: {
      limit: 1000,
      sort_by: 'name',
      sort_order: 'asc',
      select: ['assistant_id', 'graph_id', 'name', 'description'],
    },
  });
  const items = found.then((assistants) =>
    assistants.flatMap(({ assistant_id, graph_id, name, description }) =>
      assistant_id === undefined || graph_id === undefined
        ? []
        : [
            {
              label: name ?? graph_id,
              description: graph_id,
              detail: description ?? '',
              iconPath: new vscode.ThemeIcon(assistant_id === current ? 'check' : 'hubot'),
              chosen: { assistantId: assistant_id, graphId: graph_id },
            },
          ],
    ),
  );
  const title = vscode.l10n.t('Select an assistant to run');
  return (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.chosen;
}

interface ChosenThread {
  readonly threadId: string | undefined;
}

const newThread: ChosenThread = { threadId: undefined };

/** Asks for a thread of a graph, or a new one; `undefined` when nobody answers. */
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
              label: titleOf(thread),
              description: [thread.status, thread.updated_at && new Date(thread.updated_at).toLocaleString()]
                .filter(Boolean)
                .join(' · '),
              iconPath: new vscode.ThemeIcon(thread.thread_id === current ? 'check' : 'comment-discussion'),
              chosen: { threadId: thread.thread_id },
            },
          ],
    ),
  ]);
  const title = vscode.l10n.t('Select a thread to continue');
  return (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.chosen;
}

type FoundThread = Awaited<ReturnType<Client['threads']['search']>>[number];

function titleOf({ thread_id = '', metadata, extracted }: FoundThread): string {
  const title =
    typeof extracted === 'object' && extracted !== null && 'title' in extracted ? extracted.title : undefined;
  for (const name of [metadata?.name, metadata?.title, title]) {
    if (typeof name === 'string' && name.trim() !== '') return name.trim().replace(/\s+/g, ' ').slice(0, 120);
  }
  return thread_id.slice(-8);
}
