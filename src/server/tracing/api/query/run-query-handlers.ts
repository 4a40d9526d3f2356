import type { runQueries } from '../../../../contract/tracing/run-queries.ts';
import type { Handlers } from '../../../http/router.ts';
import type { TracingServices } from '../../services/services.ts';
import { v2RunHandlers } from './v2-run-handlers.ts';
import { v2ThreadHandlers } from './v2-thread-handlers.ts';
import { v2TraceHandlers } from './v2-trace-handlers.ts';

/**
 * Handlers for runs, traces and threads in the v2 form, such as `/api/v2/runs/…` (docs/interface/tracing.md#queries).
 * Without IDs or times, they cover the last day.
 */
export function runQueryHandlers(services: TracingServices): Handlers<typeof runQueries> {
  return { ...v2RunHandlers(services), ...v2TraceHandlers(services), ...v2ThreadHandlers(services) };
}
