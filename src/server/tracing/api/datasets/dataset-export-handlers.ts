import type { datasets } from '../../../../contract/datasets/datasets.ts';
import type { Caller } from '../../../http/caller.ts';
import type { Handlers } from '../../../http/router.ts';
import type { TracingServices } from '../../services/services.ts';
import { exportCsv, exportJsonl } from './export-examples.ts';
import { exportOpenai } from './export-openai.ts';

type ExportName = 'exportCsv' | 'exportOpenai' | 'exportJsonl';

/** A request for the examples of a dataset as of a time, or with a tag. */
interface ExportRequest {
  readonly params: { readonly dataset_id: string };
  readonly query: { readonly as_of?: string | undefined };
  readonly caller: Pick<Caller, 'workspaceId'>;
}

/** Handlers that send the examples of a dataset as a file. */
export function datasetExportHandlers({
  read,
}: TracingServices): Pick<Handlers<typeof datasets>, ExportName> {
  const readExamples = ({ params, query, caller: { workspaceId } }: ExportRequest) =>
    read('allExamples', { workspaceId, datasetId: params.dataset_id, asOf: query.as_of });
  return {
    exportCsv: async (request, response) => {
      response.end(exportCsv(await readExamples(request)));
    },
    exportOpenai: async (request, response) => {
      response.end(exportOpenai(await readExamples(request)));
    },
    exportJsonl: async (request, response) => {
      response.end(exportJsonl(await readExamples(request)));
    },
  };
}
