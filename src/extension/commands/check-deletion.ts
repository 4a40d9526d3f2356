import { QueuedDeletionElement } from '../views/purges.ts';
import type { Command } from './command.ts';

/** Looks whether a remote platform has carried out a deletion that it had queued. */
export const checkDeletion: Command = async ({ queuedDeletions, trees }, given) => {
  if (!(given instanceof QueuedDeletionElement)) return;
  await queuedDeletions.check(given.queued, given.client);
  trees.traces.refresh();
};
