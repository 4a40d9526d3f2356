import type { sharing, sharingV2 } from '../../../../contract/tracing/sharing.ts';
import type { Handlers } from '../../../http/router.ts';
import type { TracingServices } from '../../services/services.ts';
import { shareHandlers, shareV2Handlers } from './share-handlers.ts';
import { sharedDatasetHandlers } from './shared-dataset-handlers.ts';
import { sharedTraceHandlers, sharedTraceV2Handlers } from './shared-trace-handlers.ts';
import { SharedTraces } from './shared-traces.ts';

/**
 * Sharing, and reading what is shared. Every query with a token is limited to its trace or dataset, and to the
 * names and numbers of the experiments on it where these are shared; feedback and other traces stay out of reach.
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
