import type { sharing, sharingV2 } from '../../../../contract/tracing/sharing.ts';
import type { Handlers } from '../../../http/router.ts';
import type { TracingServices } from '../../services/services.ts';

type ShareName =
  | 'readRunShare'
  | 'shareRun'
  | 'unshareRun'
  | 'readDatasetShare'
  | 'shareDataset'
  | 'unshareDataset';

/** Handlers that share traces and datasets. */
export function shareHandlers({ read, write }: TracingServices): Pick<Handlers<typeof sharing>, ShareName> {
  return {
    readRunShare: ({ params, caller: { workspaceId } }) =>
      read('readRunShare', { workspaceId, runId: params.run_id }),
    shareRun: ({ params, body, caller: { workspaceId } }) =>
      write('shareRun', { workspaceId, runId: params.run_id, token: body.share_token ?? undefined }),
    unshareRun: async ({ params, caller: { workspaceId } }) => {
      await write('unshareRun', { workspaceId, runId: params.run_id });
      return { message: 'The trace is no longer shared' };
    },
    readDatasetShare: ({ params, caller: { workspaceId } }) =>
      read('readDatasetShare', { workspaceId, datasetId: params.dataset_id }),
    shareDataset: ({ params, body, query, caller: { workspaceId } }) =>
      write('shareDataset', {
        workspaceId,
        datasetId: params.dataset_id,
        token: body.share_token ?? undefined,
        withProjects: query.share_projects,
      }),
    unshareDataset: async ({ params, caller: { workspaceId } }) => {
      await write('unshareDataset', { workspaceId, datasetId: params.dataset_id });
      return { message: 'The dataset is no longer shared' };
    },
  };
}

/** Handlers that share traces, in the v2 form. */
export function shareV2Handlers({
  write,
}: TracingServices): Pick<Handlers<typeof sharingV2>, 'share' | 'unshare'> {
  return {
    share: ({ params, caller: { workspaceId } }) =>
      write('shareRun', { workspaceId, runId: params.run_id, token: undefined }),
    unshare: async ({ params, caller: { workspaceId } }) => {
      await write('unshareRun', { workspaceId, runId: params.run_id });
      return undefined;
    },
  };
}
