import type { TraceOptions } from '../../views/trace-options.ts';
import type { Command } from '../command.ts';
import { askText } from './filter-traces.ts';

/** Filters the Traces view by words in inputs or outputs. */
export const searchTraces: Command<{ readonly traceOptions: TraceOptions }> = async ({ traceOptions }) => {
  const part = await askText(traceOptions.filter.value);
  if (part !== undefined) await traceOptions.narrow(part);
};
