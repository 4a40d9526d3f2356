import type { TraceOptions } from '../../views/trace-options.ts';
import type { Command } from '../command.ts';

/** Shows every trace again. */
export const clearTraceFilter: Command<{ readonly traceOptions: TraceOptions }> = ({ traceOptions }) =>
  traceOptions.filter.clear();
