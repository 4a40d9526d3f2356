import * as vscode from 'vscode';
import type { Connections } from '../../connections/connections.ts';
import type { Deployments } from '../../deployments/deployments.ts';
import type { RunPanels } from '../../panels/run/run-panels.ts';
import type { RunToSave } from '../../run-files/save-run.ts';
import { originOf } from '../../traces/origin-of.ts';
import { ThreadElement } from '../../views/threads.ts';
import { TraceElement } from '../../views/traces.ts';

export interface FindRunParts {
  readonly deployments: Deployments;
  readonly connections: Connections;
  readonly panels: () => Promise<RunPanels>;
}

/**
 * The run of a trace; the thread of a row, or of the run panel in front.
 * @throws Error when there is none, RequestError
 */
export async function findRun(parts: FindRunParts, argument: unknown): Promise<RunToSave> {
  if (argument instanceof TraceElement) return findRunOfTrace(parts, argument);
  if (argument instanceof ThreadElement) {
    const { opened, thread } = argument;
    const graph = thread.metadata?.graph_id;
    return { opened, threadId: thread.thread_id, graphId: typeof graph === 'string' ? graph : '' };
  }
  const panel = (await parts.panels()).active;
  if (panel?.threadId === undefined) throw new Error(vscode.l10n.t('Open the thread of the run first.'));
  const opened = await parts.deployments.open(panel.deployment);
  const { graph_id } = await opened.client.assistants.get({ params: { assistant_id: panel.assistantId } });
  return { opened, threadId: panel.threadId, graphId: graph_id };
}

/** The run of a trace has its id. @throws Error when its thread is gone, RequestError */
export async function findRunOfTrace(
  { deployments, connections }: FindRunParts,
  { client, traceId }: TraceElement,
): Promise<RunToSave> {
  const { extra } = await client.tracing.runs.get({ params: { run_id: traceId } });
  const { SpanPlaces } = await import('../../traces/span-places.ts');
  const origin = originOf(Object(extra?.metadata));
  const opened = await new SpanPlaces(deployments, connections.local).findThread(origin);
  if (opened === undefined || origin.thread === undefined || origin.graph === undefined) {
    throw new Error(vscode.l10n.t('The thread of this trace no longer exists, so its run cannot be saved.'));
  }
  return { opened, threadId: origin.thread, graphId: origin.graph, runId: traceId };
}
