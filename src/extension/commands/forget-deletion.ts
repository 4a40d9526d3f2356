import { QueuedDeletionElement } from '../views/purges.ts';
import type { Command } from './command.ts';

/** Takes a queued deletion off the list; the platform carries it out all the same. */
export const forgetDeletion: Command = async ({ queuedDeletions, trees }, given) => {
  if (!(given instanceof QueuedDeletionElement)) return;
  await queuedDeletions.forget(given.queued.id);
  trees.traces.refresh();
};
