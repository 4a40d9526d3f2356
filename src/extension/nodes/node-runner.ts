import * as vscode from 'vscode';
import { z } from 'zod';
import { isUnknownEndpoint } from '../../client/is-unknown-endpoint.ts';
import { runNode } from '../../client/run-node.ts';
import type { NodeResult } from '../../contract/agent-server/nodes.ts';
import type { ThreadState } from '../../contract/agent-server/threads.ts';
import type { Deployments } from '../deployments/deployments.ts';
import { deploymentLabel, type OpenDeployment } from '../deployments/open-deployment.ts';
import { ActionableError } from '../dialogs/errors.ts';
import { withCancel } from '../dialogs/with-cancel.ts';
import { segment } from '../documents/address-segments.ts';
import { readJsonDocument } from '../documents/json-document.ts';
import { toJson } from '../documents/read-only-documents.ts';
import { checkpointIdOf } from '../states/checkpoint-ids.ts';
import {
  addressFields,
  NODE_RESULT_ONLY_SCHEME,
  NODE_RESULT_SCHEME,
  type NodeAddress,
  nodeAddressOf,
  nodeUri,
} from './node-address.ts';
import { resultUpdates } from './result-updates.ts';

/**
 * A node's input and output from another source, such as a span. They are used if no checkpoint has them.
 */
interface RecordedNode {
  readonly input?: unknown;
  readonly output?: unknown;
}

/** The document of a node's input. */
interface InputDocument {
  readonly input: string;
  /** The node's output when it was recorded. */
  readonly recorded: unknown;
}

/** A result that can be saved to the thread of its node. */
interface KeepableResult {
  readonly address: NodeAddress;
  readonly result: NodeResult;
}

/** Runs single nodes: their inputs are documents, and their results are compared with the recorded ones. */
export class NodeRunner implements vscode.TextDocumentContentProvider {
  readonly #deployments: Deployments;
  /** The documents of inputs, by their addresses. */
  readonly #known = new Map<string, InputDocument>();
  /** Texts of results, by the ID in their addresses. */
  readonly #results = new Map<string, string>();
  /** Results that can be kept, by the same ID. */
  readonly #keepable = new Map<string, KeepableResult>();

  constructor(deployments: Deployments) {
    this.#deployments = deployments;
  }

  /**
   * Opens the input of a node, so that the user can change and run it.
   * @throws ActionableError when its platform cannot run single nodes.
   */
  async open(address: NodeAddress, known: RecordedNode = {}): Promise<void> {
    const { input, recorded, place } = await this.#read(address, known);
    const uri = nodeUri(place);
    this.#known.set(uri.toString(), { input: toJson(input ?? {}), recorded });
    await vscode.window.showTextDocument(uri, { preview: false });
  }

  /** The text of an input's document. @throws RequestError, ActionableError */
  async readInputText(uri: vscode.Uri): Promise<string> {
    const known = this.#known.get(uri.toString());
    if (known !== undefined) return known.input;
    // After a reload of the window, the input has to be read again.
    const { input, recorded } = await this.#read(nodeAddressOf(uri), {});
    const text = toJson(input ?? {});
    this.#known.set(uri.toString(), { input: text, recorded });
    return text;
  }

  /** Replaces the text of an input's document. */
  setInputText(uri: vscode.Uri, input: string): void {
    this.#known.set(uri.toString(), { input, recorded: this.#known.get(uri.toString())?.recorded });
  }

  /** Runs the node of a document with the input in it, and shows the result beside the recorded one. */
  async run(document: vscode.TextDocument): Promise<void> {
    const address = nodeAddressOf(document.uri);
    const parsed = readJsonDocument(document.getText(), z.unknown());
    if ('problem' in parsed) throw new Error(parsed.problem.sentence);
    if (document.isDirty) await document.save();
    // After a reload of the window, this reads the recorded output, which the result is compared with.
    await this.readInputText(document.uri);
    const result = await withCancel(vscode.l10n.t('Running {0}', address.node), async (signal) => {
      const { client } = await this.#deployments.open(address.deployment);
      return runNode(client, { ...addressFields(address), input: parsed.fields }, { signal });
    });
    await this.#show(address, result, this.#known.get(document.uri.toString())?.recorded);
  }

  /**
   * Writes a result to its thread, as an update of its node.
   * @throws Error if the result was written already, or is from before a reload of the window; RequestError
   */
  async keep(uri: vscode.Uri): Promise<void> {
    const id = idOf(uri);
    const kept = this.#keepable.get(id);
    if (kept?.address.threadId === undefined || kept.address.checkpointId === undefined) {
      throw new Error(
        vscode.l10n.t('This result was already saved, or the window has been reloaded. Run the node again.'),
      );
    }
    const { node, threadId: thread_id, checkpointId: checkpoint_id, namespace, taskId } = kept.address;
    const { client } = await this.#deployments.open(kept.address.deployment);
    const checkpoint = { thread_id, checkpoint_ns: namespace, checkpoint_id };
    const { tasks } = await client.threads.getStateAtCheckpoint({
      params: { thread_id },
      body: { checkpoint },
    });
    const updates = resultUpdates(kept.result, node, taskId, tasks);
    await client.nodes.keepResult({ body: { thread_id, checkpoint_ns: namespace, checkpoint_id, updates } });
    this.#keepable.delete(id);
    const state = await client.threads.getState({ params: { thread_id } });
    void sayKept(kept.address, state);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return (
      this.#results.get(idOf(uri)) ??
      vscode.l10n.t('This value is not available after the window has been reloaded. Open it again.')
    );
  }

  async #read(address: NodeAddress, known: RecordedNode) {
    const opened = await this.#deployments.open(address.deployment);
    try {
      const read = await opened.client.nodes.nodeInput({ body: addressFields(address) });
      return {
        input: read.input ?? known.input,
        recorded: read.recorded ?? known.output,
        place: {
          ...address,
          graphId: read.graph_id,
          ...(read.checkpoint_id !== null && { checkpointId: read.checkpoint_id }),
        },
      };
    } catch (error) {
      throw isUnknownEndpoint(error, [address.threadId, address.checkpointId])
        ? unsupportedError(opened, address)
        : error;
    }
  }

  async #show(address: NodeAddress, ran: NodeResult, recorded: unknown): Promise<void> {
    const { node, threadId, checkpointId } = address;
    const isKeepable = ran.status === 'success' && threadId !== undefined && checkpointId !== undefined;
    const before = this.#document(vscode.l10n.t('{0}, recorded', node), toJson(recorded ?? {}));
    const after = this.#document(vscode.l10n.t('{0}, now', node), toJson(ran.result), isKeepable);
    if (isKeepable) this.#keepable.set(idOf(after), { address, result: ran });
    const title =
      recorded === undefined || recorded === null
        ? vscode.l10n.t('{0}: not recorded ↔ now', node)
        : vscode.l10n.t('{0}: recorded ↔ now', node);
    await vscode.commands.executeCommand('vscode.diff', before, after, title, { preview: true });
  }

  /** Stores a text under a new address. @param isKeepable whether menus offer to keep it */
  #document(name: string, text: string, isKeepable = false): vscode.Uri {
    const id = String(this.#results.size + 1);
    this.#results.set(id, text);
    const path = `/${segment(name)}.json`;
    const scheme = isKeepable ? NODE_RESULT_SCHEME : NODE_RESULT_ONLY_SCHEME;
    return vscode.Uri.from({ scheme, path, query: new URLSearchParams({ id }).toString() });
  }
}

/** Reports that a result was saved, and offers to run the next nodes. */
async function sayKept({ node, deployment, namespace }: NodeAddress, state: ThreadState): Promise<void> {
  const { thread_id: threadId } = state.checkpoint;
  const checkpointId = checkpointIdOf(state);
  if (state.next.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Result of {0} saved to the thread.', node));
    return;
  }
  const proceed = vscode.l10n.t('Continue');
  const chosen = await vscode.window.showInformationMessage(
    vscode.l10n.t(
      'Result of {0} saved to the thread, which is paused before {1}.',
      node,
      state.next.join(', '),
    ),
    // Nodes in subgraphs do not offer this, because a run from a checkpoint of the whole graph starts its
    // subgraphs again.
    ...(namespace === '' ? [proceed] : []),
  );
  if (chosen === proceed)
    await vscode.commands.executeCommand('agentHarbor.runFromHere', { deployment, threadId, checkpointId });
}

function idOf(uri: vscode.Uri): string {
  return new URLSearchParams(uri.query).get('id') ?? '';
}

function unsupportedError(opened: OpenDeployment, address: NodeAddress): ActionableError {
  const { deployment, threadId, checkpointId, namespace } = address;
  const canRun = threadId !== undefined && checkpointId !== undefined && namespace === '';
  const place = { deployment, threadId, checkpointId };
  const action = {
    title: vscode.l10n.t('Run from Here'),
    command: 'agentHarbor.runFromHere',
    arguments: [place],
  };
  return new ActionableError(
    vscode.l10n.t(
      '{0} cannot run single nodes. Run the graph from this step instead.',
      deploymentLabel(opened),
    ),
    canRun ? [action] : [],
  );
}
