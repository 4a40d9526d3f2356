import { QueuedDeletionElement } from '../../views/purges.ts';
import { rowCommand } from '../command.ts';

/** Takes a queued deletion off the list; the platform carries it out all the same. */
export const forgetDeletion = rowCommand([QueuedDeletionElement], async ({ queuedDeletions, trees }, row) => {
  await queuedDeletions.forget(row.queued.id);
  trees.traces.refresh();
});
