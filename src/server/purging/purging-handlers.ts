import type { PurgeRequest, purging, TtlSettingsUpdate } from '../../contract/purging.ts';
import { type Caller, requester } from '../http/caller.ts';
import type { Handlers } from '../http/router.ts';
import type { Call } from '../tracing/database/operations.ts';
import type { PurgingReads, PurgingWrites } from './operations.ts';

/** The operations that the handlers of purging call, on the reading and on the writing thread. */
export interface PurgingServices {
  readonly read: Call<PurgingReads>;
  readonly write: Call<PurgingWrites>;
}

/**
 * Handlers for purges (docs/interface/purging.md#deleting-traces), their jobs, the purge window, the audit log, and
 * retention in both public forms. A purge returns 202, and a job carries it out.
 */
export function purgingHandlers({ read, write }: PurgingServices): Handlers<typeof purging> {
  async function purge(caller: Caller, request: PurgeRequest) {
    const { workspaceId } = caller;
    if (request.dry_run) {
      const preview = await read('previewPurge', { workspaceId, purge: request });
      return { message: 'Nothing was deleted.', dry_run: true, ...preview };
    }
    const { jobId } = await write('requestPurge', { workspaceId, by: requester(caller), purge: request });
    return { message: 'Run deletes queued', job_id: jobId };
  }
  const ttl = ({ workspaceId, organizationId }: Caller) => read('readTtl', { workspaceId, organizationId });
  const setTtl = ({ workspaceId, organizationId }: Caller, changes: TtlSettingsUpdate) =>
    write('setTtl', { workspaceId, organizationId, changes });
  const workspaceTtl = (settings: Awaited<ReturnType<typeof ttl>>, caller: Caller) => ({
    tenant_id: caller.workspaceId,
    longlived_ttl_days: settings.longlived_ttl_days,
    is_custom: settings.configured_by === 'user',
  });

  return {
    deleteRuns: ({ body, caller }) => purge(caller, body),
    deleteTraces: ({ body, caller }) => purge(caller, body),
    listJobs: ({ query, caller }) => read('listJobs', { workspaceId: caller.workspaceId, ...query }),
    getJob: ({ params, caller }) => read('getJob', { workspaceId: caller.workspaceId, jobId: params.job_id }),
    audit: ({ query, caller }) => read('readAudit', { workspaceId: caller.workspaceId, ...query }),
    getSettings: ({ caller }) => read('readWindow', { workspaceId: caller.workspaceId }),
    putSettings: ({ body, caller }) => write('setWindow', { workspaceId: caller.workspaceId, window: body }),
    listTtl: async ({ caller }) => [await ttl(caller)],
    putTtl: ({ body, caller }) => setTtl(caller, body),
    listOrganizationTtl: async ({ caller }) => [await ttl(caller)],
    putOrganizationTtl: ({ body, caller }) => setTtl(caller, body),
    getWorkspaceTtl: async ({ caller }) => workspaceTtl(await ttl(caller), caller),
    putWorkspaceTtl: async ({ body, caller }) => workspaceTtl(await setTtl(caller, body), caller),
  };
}
