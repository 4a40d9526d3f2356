import type { identity } from '../../contract/identity.ts';
import type { Handlers } from '../http/router.ts';
import type { IdentityAdministration } from './administration.ts';
import type { WorkspaceDeletion } from './workspace-deletion.ts';

/** Handlers for organizations, workspaces and keys. */
export function identityHandlers(
  administration: IdentityAdministration,
  deletion: WorkspaceDeletion,
): Handlers<typeof identity> {
  return {
    currentOrganization: ({ caller }) => administration.readOrganization(caller),
    createOrganization: ({ body }) => administration.createOrganization(body.display_name),
    listWorkspaces: ({ caller }) => administration.listWorkspaces(caller),
    createWorkspace: ({ body, caller }) => administration.createWorkspace(caller, body.display_name),
    renameWorkspace: ({ params, body, caller }) =>
      administration.renameWorkspace(caller, params.workspace_id, body.display_name),
    deleteWorkspace: async ({ params, caller }) => {
      const { jobId } = await deletion.delete(caller, params.workspace_id);
      return { message: 'Workspace deletion queued', job_id: jobId };
    },
    listKeys: ({ caller }) => administration.listKeys(caller),
    createKey: ({ body, caller }) =>
      administration.createKey(caller, {
        description: body.description,
        workspaces: body.workspaces ?? undefined,
        grant: { rights: body.rights, projects: body.projects ?? undefined },
      }),
    narrowKey: ({ params, body, caller }) =>
      administration.narrowKey(caller, params.api_key_id, {
        description: body.description ?? undefined,
        rights: body.rights ?? undefined,
        projects: body.projects ?? undefined,
      }),
    rotateKey: ({ params, body, caller }) =>
      administration.rotateKey(caller, params.api_key_id, body.overlap_seconds),
    revokeKey: ({ params, caller }) => administration.revokeKey(caller, params.api_key_id),
  };
}
