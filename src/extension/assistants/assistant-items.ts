import type * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';

/** The maximum number of assistants that are listed. */
const MAX_ASSISTANTS = 1000;

export interface AssistantItem extends vscode.QuickPickItem {
  readonly assistantId: string;
  readonly graphId: string;
}

/** Lists the assistants of a deployment, sorted by name, as items to choose from. */
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
