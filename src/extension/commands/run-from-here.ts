import { z } from 'zod';
import { CheckpointElement } from '../views/threads.ts';
import type { Command } from './command.ts';

const Place = z.object({ deployment: z.string(), threadId: z.string(), checkpointId: z.string() });

/** Runs a thread's graph from a checkpoint, with the code as it is now, in a run panel; the thread gets a branch. */
export const runFromHere: Command = async ({ panels, deployments }, given) => {
  const place =
    given instanceof CheckpointElement
      ? {
          deployment: given.parent.opened.key,
          threadId: given.parent.thread.thread_id,
          checkpointId: given.checkpointId ?? '',
        }
      : Place.parse(given);
  const { client } = await deployments.open(place.deployment);
  const { metadata } = await client.threads.get({ params: { thread_id: place.threadId } });
  const { assistant_id, graph_id } = Names.parse(metadata ?? {});
  const assistantId = assistant_id ?? graph_id;
  if (assistantId === undefined) return;
  const name = graph_id ?? assistantId;
  await (await panels()).runFrom({ ...place, assistantId, name }, place.checkpointId);
};

const Names = z.looseObject({
  assistant_id: z.string().optional().catch(undefined),
  graph_id: z.string().optional().catch(undefined),
});
