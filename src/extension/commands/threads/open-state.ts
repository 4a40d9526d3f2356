import type { ReadOnlyDocuments } from '../../documents/read-only-documents.ts';
import { CheckpointElement, ThreadElement } from '../../views/threads.ts';
import { rowCommand } from '../command.ts';

/** Shows a thread's newest state, or the one at a checkpoint, as JSON. */
export const openState = rowCommand(
  [CheckpointElement, ThreadElement],
  async ({ documents }: { readonly documents: ReadOnlyDocuments }, row) => {
    const { opened, thread } = row instanceof ThreadElement ? row : row.parent;
    await documents.showState({
      deployment: opened.key,
      threadId: thread.thread_id,
      checkpointId: row instanceof CheckpointElement ? row.checkpointId : undefined,
    });
  },
);
