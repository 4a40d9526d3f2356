import * as vscode from 'vscode';
import type { Connections } from '../../connections/connections.ts';
import type { TracePanels } from '../../panels/trace/trace-panels.ts';
import type { EvaluationTests } from '../../testing/evaluation-tests.ts';
import { testItemOf } from '../../testing/test-argument.ts';
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
  const item = testItemOf(argument);
  const run = item && (await tests.findLastRun(item));
  if (run === undefined) {
    throw new Error(vscode.l10n.t('This example has no trace yet. Run it first.'));
  }
  (await tracePanels()).open({ connection: connections.local.id, ...run });
};
