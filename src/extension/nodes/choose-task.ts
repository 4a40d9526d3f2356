import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import type { StateAddress } from '../documents/read-only-documents.ts';
import { parentIdOf } from '../states/checkpoint-ids.ts';
import { readStateAt } from '../states/state-at.ts';
import type { NodeAddress } from './node-address.ts';
import { type GraphPlace, listTasks, type NodeTask, tasksOf } from './node-tasks.ts';

interface TaskItem extends vscode.QuickPickItem {
  readonly address: NodeTask['address'];
  /** The namespace of the subgraph whose nodes the item leads to. */
  readonly inside?: string;
}

/** Longer results are cut in the description of an item. */
const MAX_RESULT_LENGTH = 80;

/**
 * Lets the user choose one of the tasks of a step: those that wrote its state or, if no node did, those that
 * come next. A task that runs a subgraph leads to the nodes in it.
 * @returns undefined when nothing was chosen
 * @throws Error when the step has no nodes
 */
export async function chooseTask(
  client: Client,
  { deployment, threadId, checkpointId }: StateAddress,
): Promise<NodeAddress | undefined> {
  const place: GraphPlace = { deployment, threadId, namespace: '' };
  const state = await readStateAt(client, threadId, checkpointId);
  const parentId = parentIdOf(state);
  const before =
    state.metadata?.source === 'loop' && parentId !== undefined
      ? await readStateAt(client, threadId, parentId)
      : undefined;
  const ran = before === undefined ? [] : tasksOf(before, place);
  const tasks = ran.length > 0 ? ran : tasksOf(state, place);
  if (tasks.length === 0) throw new Error(vscode.l10n.t('No node ran in this step.'));
  return choose(client, tasks);
}

async function choose(client: Client, tasks: readonly NodeTask[]): Promise<NodeAddress | undefined> {
  const items = tasks.flatMap(itemsOf);
  const [only] = items;
  const chosen =
    items.length === 1
      ? only
      : await vscode.window.showQuickPick(items, {
          title: vscode.l10n.t('Run This Node'),
          placeHolder: vscode.l10n.t('Select a node'),
          matchOnDescription: true,
        });
  if (chosen?.inside === undefined) return chosen?.address;
  const { deployment, threadId, node } = chosen.address;
  const inner = await listTasks(client, { deployment, threadId, namespace: chosen.inside });
  if (inner.length === 0) throw new Error(vscode.l10n.t('The steps of {0} were not stored.', node));
  // In the order in which they ran.
  return choose(client, inner.toReversed());
}

/** The items of a task: its node and, if that runs a subgraph, the nodes inside. */
function itemsOf({ address, result, inside }: NodeTask): TaskItem[] {
  const description = result == null ? '' : JSON.stringify(result).slice(0, MAX_RESULT_LENGTH);
  const own = { label: address.node, description, address };
  if (inside === undefined) return [own];
  return [own, { label: vscode.l10n.t('Nodes inside {0}…', address.node), address, inside }];
}
