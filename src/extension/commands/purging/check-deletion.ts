import type { QueuedDeletions } from '../../purging/queued-deletions.ts';
import type { Trees } from '../../views/live-refresh.ts';
import { QueuedDeletionElement } from '../../views/purges.ts';
import { rowCommand } from '../command.ts';

interface CheckDeletionParts {
  readonly queuedDeletions: QueuedDeletions;
  readonly trees: Trees;
}

/** Checks whether a remote platform has carried out a queued deletion. */
export const checkDeletion = rowCommand(
  [QueuedDeletionElement],
  async ({ queuedDeletions, trees }: CheckDeletionParts, row) => {
    await queuedDeletions.check(row.queued, row.client);
    trees.traces.refresh();
  },
);
