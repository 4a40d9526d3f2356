import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import type { ThreadState } from '../../contract/agent-server/threads.ts';
import { checkpointIdOf, parentIdOf } from '../states/checkpoint-ids.ts';
import type { NodeAddress } from './node-address.ts';

interface Choice extends vscode.QuickPickItem {
  readonly address: NodeAddress;
  /** The namespace of the subgraph that it leads to. */
  readonly inside?: string;
}

/** The maximum number of states of a subgraph that are searched. */
const MAX_STATES = 100;

/**
 * Lets the user choose one of the tasks of a step: those that produced its state or, if the state is waiting or
 * new, those that come next. A task that is a subgraph leads to the nodes in it.
 * @returns undefined when nothing was chosen
 * @throws Error when the step has no nodes
 */
export async function chooseTask(
  client: Client,
  deployment: string,
  threadId: string,
  checkpointId: string | undefined,
): Promise<NodeAddress | undefined> {
  const params = { thread_id: threadId };
  const at = (checkpoint_id: string) => client.threads.getStateAt({ params: { ...params, checkpoint_id } });
  const state = await (checkpointId === undefined ? client.threads.getState({ params }) : at(checkpointId));
  const parentId = parentIdOf(state);
  const made = state.metadata?.source === 'loop' && parentId !== undefined ? [await at(parentId)] : [];
  const ran = made.flatMap((before) => choicesOf(before, { deployment, threadId, namespace: '' }));
  const choices = ran.length > 0 ? ran : choicesOf(state, { deployment, threadId, namespace: '' });
  if (choices.length === 0) throw new Error(vscode.l10n.t('No node ran in this step.'));
  return choose(client, choices);
}

/**
 * The newest task of a node; of an inner one named as `child:model`, after the nodes that lead to it.
 * @throws Error when the node has not run on the thread
 */
export async function findLastTask(
  client: Client,
  deployment: string,
  threadId: string,
  path: string,
): Promise<NodeAddress> {
  const [node = '', ...inner] = path.split(':');
  let namespace = '';
  let found: Choice | undefined;
  for (const name of [node, ...inner]) {
    const states = await client.threads.history({
      params: { thread_id: threadId },
      body: { limit: MAX_STATES, checkpoint: { thread_id: threadId, checkpoint_ns: namespace } },
    });
    const own = states.flatMap((state) => choicesOf(state, { deployment, threadId, namespace }));
    found = own.find(({ address }) => address.node === name);
    namespace =
      own.find(({ address, inside }) => address.node === name && inside !== undefined)?.inside ?? '';
  }
  if (found === undefined) throw new Error(vscode.l10n.t('This node has not run on this thread.'));
  return found.address;
}

async function choose(client: Client, choices: readonly Choice[]): Promise<NodeAddress | undefined> {
  const [only] = choices;
  const chosen =
    choices.length === 1
      ? only
      : await vscode.window.showQuickPick(choices, {
          title: vscode.l10n.t('Run This Node'),
          placeHolder: vscode.l10n.t('Select a node'),
          matchOnDescription: true,
        });
  if (chosen?.inside === undefined) return chosen?.address;
  const { deployment, threadId = '' } = chosen.address;
  const place = { deployment, threadId, namespace: chosen.inside };
  const states = await client.threads.history({
    params: { thread_id: threadId },
    body: { limit: MAX_STATES, checkpoint: { thread_id: threadId, checkpoint_ns: chosen.inside } },
  });
  const inner = states.toReversed().flatMap((state) => choicesOf(state, place));
  if (inner.length === 0)
    throw new Error(vscode.l10n.t('The steps of {0} were not stored.', chosen.address.node));
  return choose(client, inner);
}

function choicesOf(
  state: ThreadState,
  place: Pick<NodeAddress, 'deployment' | 'threadId' | 'namespace'>,
): Choice[] {
  const tasks = state.tasks.filter(({ name }) => name !== '__start__');
  return tasks.flatMap(({ id, name, checkpoint, result }): Choice[] => {
    const address = { ...place, node: name, checkpointId: checkpointIdOf(state), taskId: id };
    const description = result == null ? '' : JSON.stringify(result).slice(0, 80);
    const own = { label: name, description, address };
    const inside = checkpoint?.checkpoint_ns ?? undefined;
    if (inside === undefined) return [own];
    return [own, { label: vscode.l10n.t('Nodes inside {0}…', name), address, inside }];
  });
}
