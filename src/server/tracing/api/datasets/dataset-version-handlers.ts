import type { datasets } from '../../../../contract/datasets/datasets.ts';
import type { Handlers } from '../../../http/router.ts';
import type { TracingServices } from '../../services/services.ts';

type VersionName = 'versions' | 'version' | 'tag' | 'diff' | 'splits' | 'updateSplits';

/** Versions and splits of a dataset. */
export function datasetVersionHandlers({
  read,
  write,
}: TracingServices): Pick<Handlers<typeof datasets>, VersionName> {
  return {
    versions: ({ params, query, caller }) =>
      read('listVersions', { workspaceId: caller.workspaceId, datasetId: params.dataset_id, ...query }),
    version: ({ params, query, caller }) =>
      read('getVersion', {
        workspaceId: caller.workspaceId,
        datasetId: params.dataset_id,
        asOf: query.tag ?? query.as_of,
      }),
    tag: ({ params, body, caller }) =>
      write('tagVersion', {
        workspaceId: caller.workspaceId,
        datasetId: params.dataset_id,
        asOf: body.as_of,
        tag: body.tag,
      }),
    diff: ({ params, query, caller }) =>
      read('diffVersions', {
        workspaceId: caller.workspaceId,
        datasetId: params.dataset_id,
        from: query.from_version,
        to: query.to_version,
      }),
    splits: ({ params, query, caller }) =>
      read('listSplits', {
        workspaceId: caller.workspaceId,
        datasetId: params.dataset_id,
        asOf: query.as_of,
      }),
    updateSplits: ({ params, body, caller }) =>
      write('updateSplits', {
        workspaceId: caller.workspaceId,
        datasetId: params.dataset_id,
        split: body.split_name,
        exampleIds: body.examples,
        remove: body.remove,
      }),
  };
}
