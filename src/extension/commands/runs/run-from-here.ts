import type { Deployments } from '../../deployments/deployments.ts';
import type { RunPanels } from '../../panels/run/run-panels.ts';
import { placeOfState } from '../arguments/place-of-state.ts';
import type { Command } from '../command.ts';

interface RunFromHereParts {
  readonly panels: () => Promise<RunPanels>;
  readonly deployments: Deployments;
}

/** Runs a thread's graph from a checkpoint, with the current code, in a run panel; the thread gets a branch. */
export const runFromHere: Command<RunFromHereParts> = async ({ panels, deployments }, argument) => {
  const place = await placeOfState(argument);
  const { client } = await deployments.open(place.deployment);
  const { metadata } = await client.threads.get({ params: { thread_id: place.threadId } });
  const graphId = textOf(metadata?.graph_id);
  const assistantId = textOf(metadata?.assistant_id) ?? graphId;
  if (assistantId === undefined) return;
  const name = graphId ?? assistantId;
  await (await panels()).runFrom({ ...place, assistantId, name }, place.checkpointId);
};

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
