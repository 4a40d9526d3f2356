import type { datasets } from '../../../../contract/datasets/datasets.ts';
import type { Handlers } from '../../../http/router.ts';
import type { TracingServices } from '../../services/services.ts';
import { exportCsv, exportJsonl } from './export-examples.ts';
import { exportOpenai } from './export-openai.ts';

type ExportName = 'exportCsv' | 'exportOpenai' | 'exportJsonl';

/** Handlers that send the examples of a dataset as a file. */
export function datasetExportHandlers({
  read,
}: TracingServices): Pick<Handlers<typeof datasets>, ExportName> {
  return {
    exportCsv: async ({ params, query, caller: { workspaceId } }, response) => {
      const request = { workspaceId, datasetId: params.dataset_id, asOf: query.as_of };
      response.end(exportCsv(await read('allExamples', request)));
    },
    exportOpenai: async ({ params, query, caller: { workspaceId } }, response) => {
      const request = { workspaceId, datasetId: params.dataset_id, asOf: query.as_of };
      response.end(exportOpenai(await read('allExamples', request)));
    },
    exportJsonl: async ({ params, query, caller: { workspaceId } }, response) => {
      const request = { workspaceId, datasetId: params.dataset_id, asOf: query.as_of };
      response.end(exportJsonl(await read('allExamples', request)));
    },
  };
}
