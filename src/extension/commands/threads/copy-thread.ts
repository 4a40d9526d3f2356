import type { Trees } from '../../views/live-refresh.ts';
import { ThreadElement } from '../../views/threads.ts';
import { rowCommand } from '../command.ts';

/** Copies a thread with its history. */
export const copyThread = rowCommand([ThreadElement], async ({ trees }: { readonly trees: Trees }, row) => {
  await row.opened.client.threads.copy({ params: { thread_id: row.thread.thread_id } });
  trees.threads.refresh();
});
