import type { comparisons } from '../../../../contract/datasets/comparisons.ts';
import type { Handlers } from '../../../http/router.ts';
import type { TracingServices } from '../../services/services.ts';

/**
 * Comparisons of experiments on one dataset (docs/interface/tracing.md#datasets). 404 for comparisons of other
 * workspaces.
 */
export function comparisonHandlers({ read, write }: TracingServices): Handlers<typeof comparisons> {
  return {
    create: ({ body, caller: { workspaceId } }) =>
      write('createComparison', { workspaceId, comparison: body }),
    list: ({ params, query, caller: { workspaceId } }) =>
      read('listComparisons', { workspaceId, datasetId: params.dataset_id, ...query }),
    delete: async ({ params, caller: { workspaceId } }) => {
      const comparisonId = params.comparative_experiment_id;
      await write('deleteComparison', { workspaceId, comparisonId });
      return { message: 'Comparison deleted' };
    },
  };
}
