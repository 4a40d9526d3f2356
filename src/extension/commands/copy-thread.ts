import { ThreadElement } from '../views/threads.ts';
import { rowCommand } from './command.ts';

/** Makes another thread with the same history, to go on from without touching this one. */
export const copyThread = rowCommand([ThreadElement], async ({ trees }, row) => {
  await row.opened.client.threads.copy({ params: { thread_id: row.thread.thread_id } });
  trees.threads.refresh();
});
