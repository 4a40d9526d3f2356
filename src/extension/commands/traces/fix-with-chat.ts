import * as vscode from 'vscode';
import type { SourceLocation } from '../../../contract/harbor.ts';
import type { Fault } from '../../coding-agents/fix-request.ts';
import type { EvaluationTests } from '../../testing/evaluation-tests.ts';
import { testItemOf } from '../../testing/test-argument.ts';
import { DeploymentElement, GraphElement } from '../../views/deployments.ts';
import { SpanElement, TraceElement } from '../../views/traces.ts';
import type { Command } from '../command.ts';
import type { PanelParts } from './find-fault.ts';

type FixWithChatParts = PanelParts & { readonly tests: EvaluationTests };

/** VS Code's command that opens the chat with a text in its input, which the user sends. */
const OPEN_CHAT = 'workbench.action.chat.open';

/**
 * Opens the chat with a request to fix a run, a span, a test, or graphs that do not load. The chat reads the
 * details with the tools for coding agents.
 */
export const fixWithChat: Command<FixWithChatParts> = async (parts, argument) => {
  if (!(await vscode.commands.getCommands(true)).includes(OPEN_CHAT)) {
    throw new Error(vscode.l10n.t('Chat is not available in this VS Code.'));
  }
  const [{ fixRequest }, { findFaultOfTest, findFaultOfPanel }] = await Promise.all([
    import('../../coding-agents/fix-request.ts'),
    import('./find-fault.ts'),
  ]);
  const item = testItemOf(argument);
  const fault =
    faultOfRow(argument) ??
    (item === undefined
      ? await findFaultOfPanel(parts, argument)
      : await findFaultOfTest(parts.tests, item, argument));
  if (fault === undefined) throw new Error(vscode.l10n.t('Nothing failed here.'));
  await vscode.commands.executeCommand(OPEN_CHAT, { query: fixRequest(fault), isPartialQuery: true });
};

function faultOfRow(row: unknown): Fault | undefined {
  if (row instanceof TraceElement) {
    const { traceId, label: name, error } = row;
    return { kind: 'run', traceId, name, error };
  }
  if (row instanceof SpanElement) {
    const { traceId, runId: spanId, label: name } = row;
    return { kind: 'span', traceId, spanId, name };
  }
  if (row instanceof GraphElement && row.graph.status === 'failed') {
    const { graph_id: graph, error } = row.graph;
    const { name, message, location } = error;
    return { kind: 'load', graph, message: `${name}: ${message}`, place: textOf(location) };
  }
  if (row instanceof DeploymentElement && row.problem !== undefined) {
    const { message, location } = row.problem;
    return { kind: 'load', message, place: textOf(location) };
  }
  return undefined;
}

function textOf(location: SourceLocation | undefined): string | undefined {
  return location && `${location.file}:${location.line}`;
}
