import type * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';

/** The server returns at most this many assistants at once. */
const MAX_ASSISTANTS = 1000;

export interface AssistantItem extends vscode.QuickPickItem {
  readonly assistantId: string;
  readonly graphId: string;
}

/** Lists the assistants of a deployment as items to choose from: the first `MAX_ASSISTANTS` by name. */
export async function listAssistantItems(client: Client): Promise<AssistantItem[]> {
  const found = await client.assistants.search({
    body: {
      limit: MAX_ASSISTANTS,
      sort_by: 'name',
      sort_order: 'asc',
      select: ['assistant_id', 'graph_id', 'name', 'description'],
    },
  });
  return found.flatMap(({ assistant_id: assistantId, graph_id: graphId, name, description }) =>
    // Always there, because they were selected. The type does not say so.
    assistantId === undefined || graphId === undefined
      ? []
      : [
          {
            label: name ?? graphId,
            // The default assistant has the name of its graph.
            description: name === graphId ? '' : graphId,
            detail: description ?? '',
            assistantId,
            graphId,
          },
        ],
  );
}
