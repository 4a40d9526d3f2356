import * as vscode from 'vscode';
import { chooseTask } from '../nodes/choose-task.ts';
import { NODE_SCHEME } from '../nodes/node-address.ts';
import { openSpanNode } from '../nodes/span-node.ts';
import { SpanPlaces } from '../panels/trace/span-places.ts';
import { CheckpointElement } from '../views/threads.ts';
import { SpanElement } from '../views/traces.ts';
import type { Command } from './command.ts';

/**
 * Runs a node alone: of the document in front, which is its input, or after that was opened, of the step or span that it
 * was called on.
 */
export const runNode: Command = async ({ nodes, tracePanels, deployments, connections }, argument) => {
  const runner = await nodes();
  if (argument instanceof CheckpointElement) {
    const { opened, thread } = argument.parent;
    const chosen = await chooseTask(opened.client, opened.key, thread.thread_id, argument.checkpointId);
    if (chosen !== undefined) await runner.open(chosen);
    return;
  }
  if (argument instanceof SpanElement) {
    const places = new SpanPlaces(deployments, connections.local);
    await openSpanNode(argument.client, argument.runId, places, runner);
    return;
  }
  const { readSpanId } = await import('../read-argument.ts');
  const spanId = readSpanId(argument);
  if (spanId !== undefined) {
    await (await tracePanels()).active?.runNode(spanId);
    return;
  }
  const document = vscode.window.activeTextEditor?.document;
  if (document?.uri.scheme === NODE_SCHEME) await runner.run(document);
};
