import * as vscode from 'vscode';
import type { Connections } from '../../connections/connections.ts';
import type { Deployments } from '../../deployments/deployments.ts';
import type { RunPanels } from '../../panels/run/run-panels.ts';
import type { RunToSave } from '../../run-files/save-run.ts';
import { ThreadElement } from '../../views/threads.ts';
import { TraceElement } from '../../views/traces.ts';

export interface FindRunParts {
  readonly deployments: Deployments;
  readonly connections: Connections;
  readonly panels: () => Promise<RunPanels>;
}

/**
 * Finds the run of a trace, or the thread of a row or of the active run panel.
 * @throws Error if there is none, RequestError
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

/** Finds the run of a trace, which has the same ID. @throws Error if its thread no longer exists, RequestError */
export async function findRunOfTrace(
  { deployments, connections }: FindRunParts,
  { client, traceId }: TraceElement,
): Promise<RunToSave> {
  const { extra } = await client.tracing.runs.get({ params: { run_id: traceId } });
  const { originOf } = await import('../../traces/origin-of.ts');
  const { SpanPlaces } = await import('../../traces/span-places.ts');
  const origin = originOf(extra?.metadata);
  const opened = await new SpanPlaces(deployments, connections.local).findThread(origin);
  if (opened === undefined || origin.thread === undefined || origin.graph === undefined) {
    throw new Error(vscode.l10n.t('The thread of this trace no longer exists, so its run cannot be saved.'));
  }
  return { opened, threadId: origin.thread, graphId: origin.graph, runId: traceId };
}
