import type { ReadOnlyDocuments } from '../../documents/read-only-documents.ts';
import { CheckpointElement, ThreadElement } from '../../views/threads.ts';
import { rowCommand } from '../command.ts';

/** Shows a thread's newest state, or the one at a checkpoint, as JSON. */
export const openState = rowCommand(
  [CheckpointElement, ThreadElement],
  async ({ documents }: { readonly documents: ReadOnlyDocuments }, row) => {
    if (row instanceof ThreadElement) {
      await documents.showState(row.opened.key, row.thread.thread_id);
    } else {
      const { opened, thread } = row.parent;
      await documents.showState(opened.key, thread.thread_id, row.checkpointId);
    }
  },
);
