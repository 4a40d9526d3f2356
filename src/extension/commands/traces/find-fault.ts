import * as vscode from 'vscode';
import type { Fault } from '../../coding-agents/fix-request.ts';
import type { Deployments } from '../../deployments/deployments.ts';
import type { RunPanels } from '../../panels/run/run-panels.ts';
import type { TracePanels } from '../../panels/trace/trace-panels.ts';
import type { EvaluationTests } from '../../testing/evaluation-tests.ts';
import { readSpanId, readWebview } from '../arguments/read-argument.ts';

/**
 * Finds the fault of a test that does not pass.
 * @param argument the row of the test, or one of its messages
 */
export async function findFaultOfTest(
  tests: EvaluationTests,
  item: vscode.TestItem,
  argument: unknown,
): Promise<Fault> {
  const dataset = item.uri && vscode.workspace.asRelativePath(item.uri);
  const run = await tests.findLastRun(item);
  const failures = messageOf(argument) ?? (await tests.findFailure(item));
  return { kind: 'test', name: item.label, dataset, failures, traceId: run?.traceId };
}

/** The text of the message that a command was called on. */
function messageOf(argument: unknown): string | undefined {
  if (typeof argument !== 'object' || argument === null || !('message' in argument)) return undefined;
  const { message } = argument;
  const text = typeof message === 'object' && message !== null && 'message' in message ? message.message : '';
  if (typeof text === 'string') return text === '' ? undefined : text;
  // The text may be Markdown.
  return typeof text === 'object' && text !== null && 'value' in text ? String(text.value) : undefined;
}

export interface PanelParts {
  readonly deployments: Deployments;
  readonly panels: () => Promise<RunPanels>;
  readonly tracePanels: () => Promise<TracePanels>;
}

/**
 * Finds the fault of the active panel: in a trace panel, the span that the context menu was opened on, or
 * else the whole trace; in a run panel, the newest run of its thread.
 * @returns undefined if there is no such panel, or nothing has run on its thread
 */
export async function findFaultOfPanel(parts: PanelParts, argument: unknown): Promise<Fault | undefined> {
  if (readWebview(argument) === 'agentHarbor.trace') {
    const panel = (await parts.tracePanels()).active;
    if (panel === undefined) return undefined;
    const { traceId } = panel;
    const spanId = readSpanId(argument);
    return spanId === undefined ? { kind: 'run', traceId } : { kind: 'span', traceId, spanId };
  }
  const panel = (await parts.panels()).active;
  if (panel?.threadId === undefined) return undefined;
  const { client } = await parts.deployments.open(panel.deployment);
  const params = { thread_id: panel.threadId };
  const [run] = await client.runs.list({ params, query: { limit: 1 } });
  // The trace of a run has the run's ID.
  return run?.run_id === undefined ? undefined : { kind: 'run', traceId: run.run_id };
}
