import { ThreadElement } from '../views/threads.ts';
import type { Command } from './command.ts';

/** Makes another thread with the same history, to go on from without touching this one. */
export const copyThread: Command = async ({ trees }, given) => {
  if (!(given instanceof ThreadElement)) return;
  await given.opened.client.threads.copy({ params: { thread_id: given.thread.thread_id } });
  trees.threads.refresh();
};
