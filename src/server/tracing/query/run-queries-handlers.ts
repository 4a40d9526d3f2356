import type { runQueries } from '../../../contract/tracing/run-queries.ts';
import type { Handlers } from '../../http/router.ts';
import type { TracingServices } from '../services.ts';
import { v2RunsHandlers } from './v2-runs-handlers.ts';
import { v2ThreadsHandlers } from './v2-threads-handlers.ts';
import { v2TracesHandlers } from './v2-traces-handlers.ts';

/**
 * Runs in the v2 form, `/api/v2/runs/…` (docs/interface/tracing.md#queries): of the last day unless ids or
 * times are given.
 */
export function runQueriesHandlers(services: TracingServices): Handlers<typeof runQueries> {
  return { ...v2RunsHandlers(services), ...v2TracesHandlers(services), ...v2ThreadsHandlers(services) };
}
