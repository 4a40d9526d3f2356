import { QueuedDeletionElement } from '../../views/purges.ts';
import { rowCommand } from '../command.ts';

/** Looks whether a remote platform has carried out a deletion that it had queued. */
export const checkDeletion = rowCommand([QueuedDeletionElement], async ({ queuedDeletions, trees }, row) => {
  await queuedDeletions.check(row.queued, row.client);
  trees.traces.refresh();
});
