import type { datasets } from '../../../../contract/datasets/datasets.ts';
import { requester } from '../../../http/caller.ts';
import type { Handlers } from '../../../http/router.ts';
import type { TracingServices } from '../../services/services.ts';
import { cloneExamples } from './clone-examples.ts';
import { datasetExportHandlers } from './dataset-export-handlers.ts';
import { datasetVersionHandlers } from './dataset-version-handlers.ts';
import type { ExampleChanges } from './example-changes.ts';
import { uploadDataset } from './upload-dataset.ts';

/**
 * Handlers for datasets, their versions and splits, import and export (docs/interface/tracing.md#datasets). 404 for
 * datasets of other workspaces, 422 naming the field or the line of a file.
 */
export function datasetHandlers(
  services: TracingServices,
  changes: ExampleChanges,
): Handlers<typeof datasets> {
  const { read, write, publish } = services;

  return {
    ...datasetVersionHandlers(services),
    ...datasetExportHandlers(services),
    create: async ({ body, caller: { workspaceId } }) => {
      const created = await write('createDataset', { workspaceId, dataset: body });
      publish(workspaceId, [{ resource: 'dataset', action: 'created', id: created.id }]);
      return created;
    },
    list: ({ query, caller }) => read('listDatasets', { workspaceId: caller.workspaceId, query }),
    get: ({ params, caller }) =>
      read('getDataset', { workspaceId: caller.workspaceId, datasetId: params.dataset_id }),
    update: async ({ params, body, caller: { workspaceId } }) => {
      const updated = await write('updateDataset', {
        workspaceId,
        datasetId: params.dataset_id,
        changes: body,
      });
      publish(workspaceId, [{ resource: 'dataset', action: 'updated', id: updated.id }]);
      return updated;
    },
    delete: async ({ params, caller }) => {
      const { workspaceId } = caller;
      const { jobId } = await write('deleteDataset', {
        workspaceId,
        by: requester(caller),
        datasetId: params.dataset_id,
      });
      publish(workspaceId, [{ resource: 'dataset', action: 'deleted', id: params.dataset_id }]);
      return { message: 'Dataset deleted', job_id: jobId };
    },
    clone: ({ body, caller }) => cloneExamples(services, changes, caller, body),
    upload: ({ request, caller }) => uploadDataset(services, changes, caller, request),
  };
}
