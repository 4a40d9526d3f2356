import { ThreadElement } from '../views/threads.ts';
import type { Command } from './command.ts';
import { run } from './run.ts';

/** Shows the conversation of a thread in the run panel; nothing is run. */
export const openThread: Command = async (parts, given) => {
  if (given instanceof ThreadElement) await run(parts, given);
};
