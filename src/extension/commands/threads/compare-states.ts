import * as vscode from 'vscode';
import type { ReadOnlyDocuments, StateAddress } from '../../documents/read-only-documents.ts';
import { parentIdOf } from '../../states/checkpoint-ids.ts';
import { CheckpointElement, ThreadElement } from '../../views/threads.ts';
import { rowCommand } from '../command.ts';

interface CompareStatesParts {
  readonly documents: Pick<ReadOnlyDocuments, 'compareStates'>;
}

/** Compares two selected states, of one thread or of two; for a single state, shows what its step changed. */
export const compareStates = rowCommand(
  [CheckpointElement, ThreadElement],
  async ({ documents }: CompareStatesParts, first, states) => {
    const [, second] = states;
    if (second === undefined) {
      if (first instanceof CheckpointElement) await compareWithParent(documents, first);
      return;
    }
    if (states.length > 2) throw new Error(vscode.l10n.t('Select two states to compare.'));
    const [before, after] = isLater(first, second) ? [second, first] : [first, second];
    await documents.compareStates(addressOf(before), addressOf(after), titleOf(before, after));
  },
);

type State = CheckpointElement | ThreadElement;

/** Compares a state with the one that it was made from, which the view may not list. */
async function compareWithParent(
  documents: CompareStatesParts['documents'],
  state: CheckpointElement,
): Promise<void> {
  const checkpointId = parentIdOf(state.state);
  if (checkpointId === undefined) throw new Error(vscode.l10n.t('This is the first state of its thread.'));
  const before = { ...addressOf(state), checkpointId };
  const name = await nameOfCheckpoint(state.parent, checkpointId);
  await documents.compareStates(before, addressOf(state), `${name} ↔ ${nameOf(state)}`);
}

async function nameOfCheckpoint(thread: ThreadElement, checkpointId: string): Promise<string> {
  const listed = await thread.getChildren();
  const row = listed.find((one) => one instanceof CheckpointElement && one.checkpointId === checkpointId);
  if (row instanceof CheckpointElement) return nameOf(row);
  const { readStateAt } = await import('../../states/state-at.ts');
  const { stepName } = await import('../../states/thread-history.ts');
  return stepName(await readStateAt(thread.opened.client, thread.thread.thread_id, checkpointId));
}

/** Whether the first state is the later one, which is shown on the right. */
function isLater(first: State, second: State): boolean {
  return timeOf(first) > timeOf(second);
}

function timeOf(state: State): string {
  if (state instanceof ThreadElement) return state.thread.updated_at ?? '';
  return state.state.created_at ?? '';
}

function addressOf(state: State): StateAddress {
  const thread = state instanceof ThreadElement ? state : state.parent;
  return {
    deployment: thread.opened.key,
    threadId: thread.thread.thread_id,
    checkpointId: state instanceof CheckpointElement ? state.checkpointId : undefined,
  };
}

function titleOf(before: State, after: State): string {
  return `${nameOf(before)} ↔ ${nameOf(after)}`;
}

function nameOf(state: State): string {
  if (state instanceof ThreadElement) return state.label;
  return state.step === undefined ? state.label : vscode.l10n.t('{0} (step {1})', state.label, state.step);
}
