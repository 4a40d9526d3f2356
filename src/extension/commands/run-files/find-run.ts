import * as vscode from 'vscode';
import type { PlatformConnection } from '../../connections/connection.ts';
import type { Deployments } from '../../deployments/deployments.ts';
import type { RunPanel } from '../../panels/run/run-panel.ts';
import type { RunToSave } from '../../run-files/save-run.ts';
import type { OpenableDeployments } from '../../traces/span-places.ts';
import { ThreadElement } from '../../views/threads.ts';
import { TraceElement } from '../../views/traces.ts';
import { refuseLostRow } from '../command.ts';

export interface FindRunParts {
  readonly deployments: OpenableDeployments & Pick<Deployments, 'open'>;
  readonly connections: { readonly local: PlatformConnection };
  readonly panels: () => Promise<{
    readonly active: Pick<RunPanel, 'threadId' | 'deployment' | 'assistantId'> | undefined;
  }>;
}

/**
 * Finds the run of a trace, or the thread of a row or of the active run panel.
 * @param args the arguments of the command
 * @throws Error if there is none or VS Code has lost the row, RequestError
 */
export async function findRun(parts: FindRunParts, args: readonly unknown[]): Promise<RunToSave> {
  const [argument] = args;
  if (argument instanceof ThreadElement) return lastRunOf(argument);
  if (argument instanceof TraceElement) {
    const run = await findRunOfTrace(parts, argument);
    if (run !== undefined) return run;
    throw new Error(vscode.l10n.t('The thread of this trace no longer exists, so its run cannot be saved.'));
  }
  refuseLostRow(args);
  const panel = (await parts.panels()).active;
  if (panel?.threadId === undefined) throw new Error(vscode.l10n.t('Open the thread of the run first.'));
  const opened = await parts.deployments.open(panel.deployment);
  const { graph_id } = await opened.client.assistants.get({ params: { assistant_id: panel.assistantId } });
  return { opened, threadId: panel.threadId, graphId: graph_id };
}

/**
 * The last run of a thread. If nothing has run on the thread, the ID of the graph is empty, and saving fails
 * because there is no run.
 */
export function lastRunOf({ opened, thread }: ThreadElement): RunToSave {
  const graph = thread.metadata?.graph_id;
  return { opened, threadId: thread.thread_id, graphId: typeof graph === 'string' ? graph : '' };
}

/**
 * Finds the run of a trace, which has the same ID; undefined if no deployment has its thread.
 * @throws RequestError
 */
export async function findRunOfTrace(
  { deployments, connections }: Pick<FindRunParts, 'deployments' | 'connections'>,
  { client, traceId }: TraceElement,
): Promise<RunToSave | undefined> {
  const { extra } = await client.tracing.runs.get({ params: { run_id: traceId } });
  const { originOf } = await import('../../traces/origin-of.ts');
  const { SpanPlaces } = await import('../../traces/span-places.ts');
  const origin = originOf(extra?.metadata);
  const opened = await new SpanPlaces(deployments, connections.local).findThread(origin);
  if (opened === undefined || origin.thread === undefined || origin.graph === undefined) return undefined;
  return { opened, threadId: origin.thread, graphId: origin.graph, runId: traceId };
}
