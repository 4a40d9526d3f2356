import type { Command } from '../command.ts';

/** Shows every trace again. */
export const clearTraceFilter: Command = ({ traceOptions }) => traceOptions.filter.clear();
