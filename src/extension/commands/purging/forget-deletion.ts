import type { QueuedDeletions } from '../../purging/queued-deletions.ts';
import type { Trees } from '../../views/live-refresh.ts';
import { QueuedDeletionElement } from '../../views/purges.ts';
import { rowCommand } from '../command.ts';

interface ForgetDeletionParts {
  readonly queuedDeletions: QueuedDeletions;
  readonly trees: Trees;
}

/** Removes a queued deletion from the list; the platform still carries it out. */
export const forgetDeletion = rowCommand(
  [QueuedDeletionElement],
  async ({ queuedDeletions, trees }: ForgetDeletionParts, row) => {
    await queuedDeletions.forget(row.queued.id);
    trees.traces.refresh();
  },
);
