import * as vscode from 'vscode';
import type { Fault } from '../../coding-agents/fix-request.ts';
import type { Deployments } from '../../deployments/deployments.ts';
import type { RunPanels } from '../../panels/run/run-panels.ts';
import type { TracePanels } from '../../panels/trace/trace-panels.ts';
import type { EvaluationTests } from '../../testing/evaluation-tests.ts';
import { readSpanId, readWebview } from '../arguments/read-argument.ts';

/** The fault of a test that does not pass. @param argument the row of the test, or one of its messages */
export async function faultOfTest(
  tests: EvaluationTests,
  item: vscode.TestItem,
  argument: unknown,
): Promise<Fault> {
  const dataset = item.uri && vscode.workspace.asRelativePath(item.uri);
  const run = await tests.findLastRun(item);
  return {
    ...{ kind: 'test', name: item.label, dataset, traceId: run?.traceId },
    failures: messageOf(argument) ?? (await tests.findFailure(item)),
  };
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

/** The fault of the run or span that the context menu of the active panel was opened on. */
export async function faultOfPanel(parts: PanelParts, argument: unknown): Promise<Fault | undefined> {
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
