import type { ThreadOptions } from '../../views/thread-options.ts';
import type { Command } from '../command.ts';

/** Shows every thread again. */
export const clearThreadFilter: Command<{ readonly threadOptions: ThreadOptions }> = ({ threadOptions }) =>
  threadOptions.filter.clear();
