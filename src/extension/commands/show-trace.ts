import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Client } from '../../client/client.ts';
import { isNotFound } from '../errors.ts';
import { traceOf } from '../views/traces.ts';
import type { Command } from './command.ts';

/** A user's own SDK sends spans in batches, so a trace may come a moment after its run. */
const waitMs = 10_000;
const retryMs = 250;

/** Finds the trace of a run in the Traces view. */
export const showTrace: Command = async ({ connection, trees }, given) => {
  if (typeof given !== 'string') return;
  const client = await connection.connect();
  await vscode.commands.executeCommand('agentHarbor.traces.focus');
  await vscode.window.withProgress({ location: { viewId: 'agentHarbor.traces' } }, async () => {
    const run = await waitForRun(client, given);
    await trees.traces.reveal(await traceOf(run, client));
  });
};

async function waitForRun(client: Client, runId: string) {
  const deadline = Date.now() + waitMs;
  for (;;) {
    try {
      return await client.tracing.runs.get({ params: { run_id: runId } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      if (Date.now() > deadline) {
        throw new Error(
          vscode.l10n.t('This run has left no trace. Is tracing turned off in its environment?'),
        );
      }
    }
    await delay(retryMs);
  }
}
