import * as vscode from 'vscode';
import type { ReadOnlyDocuments, StateAddress } from '../../documents/read-only-documents.ts';
import type { Trees } from '../../views/live-refresh.ts';
import { CheckpointElement, ThreadElement } from '../../views/threads.ts';
import { rowCommand } from '../command.ts';

interface CompareStatesParts {
  readonly documents: ReadOnlyDocuments;
  readonly trees: Trees;
}

/** Compares two selected states, of one thread or of two; for a single state, shows what its step changed. */
export const compareStates = rowCommand(
  [CheckpointElement, ThreadElement],
  async (parts: CompareStatesParts, first, states) => {
    const { documents, trees } = parts;
    const [, second] = states;
    if (second === undefined) {
      if (!(first instanceof CheckpointElement)) return;
      const before = await readStateBefore(first, (parent) => trees.threads.getChildren(parent));
      if (before === undefined) throw new Error(vscode.l10n.t('This is the first state of its thread.'));
      await documents.compareStates(addressOf(before), addressOf(first), titleOf(before, first));
      return;
    }
    if (states.length > 2) throw new Error(vscode.l10n.t('Select two states to compare.'));
    const [before, after] = isLater(first, second) ? [second, first] : [first, second];
    await documents.compareStates(addressOf(before), addressOf(after), titleOf(before, after));
  },
);

type State = CheckpointElement | ThreadElement;

async function readStateBefore(
  element: CheckpointElement,
  childrenOf: (parent: ThreadElement) => Promise<readonly unknown[]>,
): Promise<CheckpointElement | undefined> {
  const states = await childrenOf(element.parent);
  const index = states.findIndex((row) => row instanceof CheckpointElement && row.id === element.id);
  const before = index < 0 ? undefined : states[index + 1];
  return before instanceof CheckpointElement ? before : undefined;
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
