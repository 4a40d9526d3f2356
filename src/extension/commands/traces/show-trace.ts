import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Client } from '../../../client/client.ts';
import { isNotFound } from '../../../client/request-error.ts';
import type { Deployments } from '../../deployments/deployments.ts';
import type { TracePanels } from '../../panels/trace/trace-panels.ts';
import { inputTitle } from '../../wording/titles.ts';
import type { Command } from '../command.ts';

/** How long to wait for a trace: a user's own SDK sends spans in batches, a moment after the run. */
const WAIT_MS = 10_000;
const RETRY_MS = 250;

interface ShowTraceParts {
  readonly deployments: Deployments;
  readonly tracePanels: () => Promise<TracePanels>;
}

/**
 * Shows the trace of a run as soon as the trace has arrived. The key names the run's deployment; by default,
 * it is the current one.
 */
export const showTrace: Command<ShowTraceParts> = async ({ deployments, tracePanels }, runId, key) => {
  if (typeof runId !== 'string') return;
  const connection = typeof key === 'string' ? deployments.connectionOf(key) : deployments.connection;
  if (connection.isAgentServerOnly)
    throw new Error(
      vscode.l10n.t('{0} is an Agent Server connection, which does not provide traces.', connection.label),
    );
  const client = await connection.connect();
  const title = vscode.l10n.t('Agent Harbor: Finding the trace…');
  const run = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () =>
    waitForRun(client, runId),
  );
  const spanId = run.id === run.trace_id ? undefined : run.id;
  const name = inputTitle(run.inputs) ?? run.name;
  (await tracePanels()).open({ connection: connection.id, traceId: run.trace_id, name, spanId });
};

async function waitForRun(client: Client, runId: string) {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    try {
      return await client.tracing.runs.get({ params: { run_id: runId } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      if (Date.now() > deadline) {
        throw new Error(
          vscode.l10n.t(
            'No trace was found for this run. Check that tracing is not turned off in its environment.',
          ),
        );
      }
    }
    await delay(RETRY_MS);
  }
}
