import { CheckpointElement, ThreadElement } from '../views/threads.ts';
import type { Command } from './command.ts';

/** Shows a thread's newest state, or the one at a checkpoint, as JSON. */
export const openState: Command = async ({ documents }, given) => {
  if (given instanceof ThreadElement) {
    await documents.showState(given.opened.key, given.thread.thread_id);
  } else if (given instanceof CheckpointElement) {
    const { opened, thread } = given.parent;
    await documents.showState(opened.key, thread.thread_id, given.checkpointId);
  }
};
