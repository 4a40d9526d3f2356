import type { Command } from '../command.ts';

/** Shows every thread again. */
export const clearThreadFilter: Command = ({ threadOptions }) => threadOptions.filter.clear();
