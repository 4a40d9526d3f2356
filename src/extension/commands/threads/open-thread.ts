import { ThreadElement } from '../../views/threads.ts';
import { rowCommand } from '../command.ts';
import { type RunParts, run } from '../runs/run.ts';

/** Shows the conversation of a thread in the run panel, without running anything. */
export const openThread = rowCommand([ThreadElement], async (parts: RunParts, row) => {
  await run(parts, row);
});
