import { editStateDocument } from '../../states/state-address.ts';
import { CheckpointElement, ThreadElement } from '../../views/threads.ts';
import { rowCommand } from '../command.ts';

/**
 * Opens a thread's newest state, or the one at a checkpoint, as a JSON document; saving it writes a new
 * checkpoint.
 */
export const editState = rowCommand([CheckpointElement, ThreadElement], async (_parts, row) => {
  const thread = row instanceof CheckpointElement ? row.parent : row;
  const address = { deployment: thread.opened.key, threadId: thread.thread.thread_id };
  if (row instanceof CheckpointElement)
    await editStateDocument({ ...address, checkpointId: row.checkpointId }, thread.label, row.step);
  else await editStateDocument(address, thread.label);
});
