import * as vscode from 'vscode';
import type { Client } from '../../../client/client.ts';
import type { ReadOnlyDocuments } from '../../documents/read-only-documents.ts';
import { chooseTask } from '../../nodes/choose-task.ts';
import type { NodeRunner } from '../../nodes/node-runner.ts';
import { findLastTask } from '../../nodes/node-tasks.ts';
import { checkpointIdOf, parentIdOf } from '../../states/checkpoint-ids.ts';
import { editStateDocument } from '../../states/state-address.ts';
import { stepName } from '../../states/thread-history.ts';
import type { EditableState } from './messages.ts';
import type { ThreadView } from './thread-view.ts';

interface StateActionsParts {
  /** The key of the panel's deployment. */
  readonly deployment: string;
  readonly documents: ReadOnlyDocuments;
  /** The runner of single nodes, loaded when it is first needed. */
  readonly nodes: () => Promise<NodeRunner>;
  readonly client: () => Promise<Client>;
}

/** The actions of a run panel on states of its thread. */
export class StateActions {
  readonly #parts: StateActionsParts;
  readonly #thread: ThreadView;

  constructor(thread: ThreadView, parts: StateActionsParts) {
    this.#thread = thread;
    this.#parts = parts;
  }

  /** Reads a state for editing. @param checkpointId of the state; by default the one that is shown */
  async readToEdit(checkpointId: string | undefined): Promise<EditableState> {
    const state = await this.#thread.readState(checkpointId);
    const parent = parentIdOf(state);
    // If the previous state cannot be read, the nodes that wrote this state stay unknown.
    const before =
      parent === undefined ? undefined : await this.#thread.readState(parent).catch(() => undefined);
    return {
      checkpoint_id: checkpointIdOf(state),
      values: state.values,
      nodes: before?.next.filter((node) => node !== '__start__') ?? [],
    };
  }

  /** Opens a state as a JSON document, if there is a thread. */
  async open(checkpointId = this.#thread.checkpointId): Promise<void> {
    const { threadId } = this.#thread;
    if (threadId !== undefined)
      await this.#parts.documents.showState({ deployment: this.#parts.deployment, threadId, checkpointId });
  }

  /** Opens a state as a document that can be saved, if there is a thread. */
  async edit(checkpointId = this.#thread.checkpointId): Promise<void> {
    const { threadId } = this.#thread;
    if (threadId === undefined) return;
    const address = { deployment: this.#parts.deployment, threadId, checkpointId };
    await editStateDocument(address, threadId.slice(-8));
  }

  /**
   * Opens the input of a node, to run it alone: of the named node where it ran last, or of a node of the
   * given step, which the user chooses.
   */
  async runNode({ node, checkpoint_id }: { node?: string | undefined; checkpoint_id?: string | undefined }) {
    const { threadId } = this.#thread;
    if (threadId === undefined) throw new Error(vscode.l10n.t('No threads yet. Run a graph to start one.'));
    const { deployment } = this.#parts;
    const client = await this.#parts.client();
    const chosen =
      node === undefined
        ? await chooseTask(client, { deployment, threadId, checkpointId: checkpoint_id })
        : await findLastTask(client, { deployment, threadId }, node);
    if (chosen !== undefined) await (await this.#parts.nodes()).open(chosen);
  }

  /**
   * Replays what follows a state. Nobody waits for it, because its outcome is a message that may stay open.
   */
  replayFrom(checkpointId: string): void {
    const { deployment } = this.#parts;
    const { threadId } = this.#thread;
    void vscode.commands.executeCommand('agentHarbor.replayFromHere', { deployment, threadId, checkpointId });
  }

  /** Compares the state of a step with the one that is shown, if there is a thread. */
  async compare(checkpointId: string): Promise<void> {
    const { threadId } = this.#thread;
    if (threadId === undefined) return;
    const [state, shown] = await Promise.all([
      this.#thread.readState(checkpointId),
      this.#thread.readState(),
    ]);
    const address = (checkpoint: string | undefined) => ({
      deployment: this.#parts.deployment,
      threadId,
      checkpointId: checkpoint,
    });
    const title = `${stepName(state)} ↔ ${stepName(shown)}`;
    await this.#parts.documents.compareStates(address(checkpointId), address(checkpointIdOf(shown)), title);
  }
}
