import * as vscode from 'vscode';
import type { Connections } from '../../connections/connections.ts';
import type { Deployments } from '../../deployments/deployments.ts';
import { NODE_SCHEME } from '../../nodes/node-address.ts';
import type { NodeRunner } from '../../nodes/node-runner.ts';
import type { TracePanels } from '../../panels/trace/trace-panels.ts';
import { CheckpointElement } from '../../views/threads.ts';
import { SpanElement } from '../../views/traces.ts';
import type { Command } from '../command.ts';

interface RunNodeParts {
  readonly nodes: () => Promise<NodeRunner>;
  readonly tracePanels: () => Promise<TracePanels>;
  readonly deployments: Deployments;
  readonly connections: Connections;
}

/**
 * Runs a node alone with the input in the active editor. Called on a step or a span, it opens the input that
 * the node had there instead.
 */
export const runNode: Command<RunNodeParts> = async (
  { nodes, tracePanels, deployments, connections },
  argument,
) => {
  const runner = await nodes();
  if (argument instanceof CheckpointElement) {
    const { chooseTask } = await import('../../nodes/choose-task.ts');
    const { checkpointId } = argument;
    const { opened, thread } = argument.parent;
    const address = { deployment: opened.key, threadId: thread.thread_id, checkpointId };
    const chosen = await chooseTask(opened.client, address);
    if (chosen !== undefined) await runner.open(chosen);
    return;
  }
  if (argument instanceof SpanElement) {
    const { openSpanNode } = await import('../../nodes/span-node.ts');
    const { SpanPlaces } = await import('../../traces/span-places.ts');
    const places = new SpanPlaces(deployments, connections.local);
    await openSpanNode(argument.client, argument.runId, places, runner);
    return;
  }
  const { readSpanId } = await import('../arguments/read-argument.ts');
  const spanId = readSpanId(argument);
  if (spanId !== undefined) {
    await (await tracePanels()).active?.runNode(spanId);
    return;
  }
  const document = vscode.window.activeTextEditor?.document;
  if (document?.uri.scheme === NODE_SCHEME) await runner.run(document);
};
