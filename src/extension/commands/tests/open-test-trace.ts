import * as vscode from 'vscode';
import type { Connections } from '../../connections/connections.ts';
import type { TracePanels } from '../../panels/trace/trace-panels.ts';
import type { EvaluationTests } from '../../testing/evaluation-tests.ts';
import type { Command } from '../command.ts';

interface OpenTestTraceParts {
  readonly tests: EvaluationTests;
  readonly connections: Connections;
  readonly tracePanels: () => Promise<TracePanels>;
}

/** Shows the trace of the last run of an example, from its row in the Testing view or from a failure. */
export const openTestTrace: Command<OpenTestTraceParts> = async (
  { tests, connections, tracePanels },
  argument,
) => {
  const item = findItem(argument);
  const run = item && (await tests.findLastRun(item));
  if (run === undefined) {
    throw new Error(vscode.l10n.t('This example has no trace yet. Run it first.'));
  }
  (await tracePanels()).open({
    connection: connections.local.id,
    ...run,
    spanId: undefined,
  });
};

/** The row, or that of the message whose menu was opened. */
function findItem(argument: unknown): vscode.TestItem | undefined {
  if (isItem(argument)) return argument;
  if (typeof argument !== 'object' || argument === null || !('test' in argument)) return undefined;
  return isItem(argument.test) ? argument.test : undefined;
}

function isItem(value: unknown): value is vscode.TestItem {
  return typeof value === 'object' && value !== null && 'label' in value && 'children' in value;
}
