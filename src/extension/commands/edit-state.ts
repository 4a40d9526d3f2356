import { editStateDocument } from '../states/state-address.ts';
import { CheckpointElement, ThreadElement } from '../views/threads.ts';
import type { Command } from './command.ts';

/** Opens a thread's newest state, or the one at a checkpoint, as a JSON document; saving it writes a new checkpoint. */
export const editState: Command = async (_, given) => {
  const thread = given instanceof CheckpointElement ? given.parent : given;
  if (!(thread instanceof ThreadElement)) return;
  const address = { deployment: thread.opened.key, threadId: thread.thread.thread_id };
  if (given instanceof CheckpointElement)
    await editStateDocument({ ...address, checkpointId: given.checkpointId }, thread.label, given.step);
  else await editStateDocument(address, thread.label);
};
