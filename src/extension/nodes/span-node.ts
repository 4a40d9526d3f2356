import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import { isObject } from '../../process/objects.ts';
import { originOf } from '../traces/origin-of.ts';
import type { SpanPlaces } from '../traces/span-places.ts';
import type { NodeRunner } from './node-runner.ts';
import { spanTask } from './span-task.ts';

/**
 * Opens the input of the node that a span belongs to, as recorded by its thread or, without the thread, by
 * the span.
 * @param client of the platform that has the trace
 * @throws Error when the span does not belong to a node that can be run here
 */
export async function openSpanNode(
  client: Client,
  runId: string,
  places: SpanPlaces,
  runner: NodeRunner,
): Promise<void> {
  const run = await client.tracing.runs.get({
    params: { run_id: runId },
    query: { exclude_serialized: true },
  });
  const metadata = run.extra?.metadata;
  const task = isObject(metadata) ? spanTask(metadata) : undefined;
  if (task === undefined) throw new Error(vscode.l10n.t('This span does not belong to a graph node.'));
  const origin = originOf(metadata);
  const withThread = await places.findThread(origin);
  const opened = withThread ?? (await places.requireDeployment(origin.graph));
  const known = run.name === task.node ? { input: run.inputs, output: { update: run.outputs } } : {};
  if (withThread === undefined && known.input == null)
    throw new Error(vscode.l10n.t('The input of {0} was not recorded.', task.node));
  await runner.open(
    {
      deployment: opened.key,
      ...task,
      graphId: origin.graph,
      // Without the thread, its tasks are unknown too.
      ...(withThread === undefined ? { taskId: undefined } : { threadId: origin.thread }),
    },
    known,
  );
}
