import type { sharing, sharingV2 } from '../../../../contract/tracing/sharing.ts';
import type { Handlers } from '../../../http/router.ts';
import type { TracingServices } from '../../services/services.ts';
import { shareHandlers, shareV2Handlers } from './share-handlers.ts';
import { sharedDatasetHandlers } from './shared-dataset-handlers.ts';
import { sharedTraceHandlers, sharedTraceV2Handlers } from './shared-trace-handlers.ts';
import { SharedTraces } from './shared-traces.ts';

/**
 * Handlers that share, and that read what is shared. Every query with a token is limited to the token's trace or
 * dataset, and to the names and statistics of the dataset's experiments if these are shared; feedback and other traces
 * stay out of reach.
 */
export function sharingHandlers(services: TracingServices): {
  readonly v1: Handlers<typeof sharing>;
  readonly v2: Handlers<typeof sharingV2>;
} {
  const traces = new SharedTraces(services);
  return {
    v1: {
      ...shareHandlers(services),
      ...sharedTraceHandlers(traces),
      ...sharedDatasetHandlers(services),
    },
    v2: { ...shareV2Handlers(services), ...sharedTraceV2Handlers(traces) },
  };
}
