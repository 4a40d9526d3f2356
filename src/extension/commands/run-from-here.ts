import { z } from 'zod';
import { CheckpointElement } from '../views/threads.ts';
import type { Command } from './command.ts';

const Place = z.object({ deployment: z.string(), threadId: z.string(), checkpointId: z.string() });

/** Runs a thread's graph from a checkpoint, with the code as it is now, in a run panel; the thread gets a branch. */
export const runFromHere: Command = async ({ panels, deployments }, argument) => {
  const place =
    argument instanceof CheckpointElement
      ? {
          deployment: argument.parent.opened.key,
          threadId: argument.parent.thread.thread_id,
          checkpointId: argument.checkpointId ?? '',
        }
      : Place.parse(argument);
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
