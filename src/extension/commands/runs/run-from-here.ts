import * as vscode from 'vscode';
import { assistantOf } from '../../../terms/thread-assistant.ts';
import type { Deployments } from '../../deployments/deployments.ts';
import type { RunPanels } from '../../panels/run/run-panels.ts';
import { placeOfState } from '../arguments/place-of-state.ts';
import type { Command } from '../command.ts';

interface RunFromHereParts {
  readonly panels: () => Promise<RunPanels>;
  readonly deployments: Deployments;
}

/**
 * Runs a thread's graph from a checkpoint, with the current code, in a run panel; the thread gets a branch.
 */
export const runFromHere: Command<RunFromHereParts> = async ({ panels, deployments }, argument) => {
  const place = await placeOfState(argument);
  const { client } = await deployments.open(place.deployment);
  const thread = await client.threads.get({ params: { thread_id: place.threadId } });
  const assistantId = assistantOf(thread);
  if (assistantId === undefined) {
    throw new Error(
      vscode.l10n.t('Nothing has run on this thread yet, so its assistant is unknown. Run the thread first.'),
    );
  }
  const graphId = thread.metadata?.graph_id;
  const name = typeof graphId === 'string' ? graphId : assistantId;
  await (await panels()).runFrom({ ...place, assistantId, name }, place.checkpointId);
};
