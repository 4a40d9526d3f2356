import type { deployments as deploymentEndpoints } from '../../../contract/control-plane/deployments.ts';
import { badRequest, HttpError } from '../../http/errors.ts';
import { Reply } from '../../http/reply.ts';
import type { Handlers } from '../../http/router.ts';
import type { Uploads } from '../builds/uploads.ts';
import type { Deployments } from '../deployments/deployments.ts';

/**
 * Deployments of the caller's workspace (docs/interface/control-plane.md#deployments). Lists are `{resources, offset}`;
 * the next page begins at `offset`. A deployment of another workspace is 404. Deleting several returns 207 if some do
 * not exist, and 404 if none exists.
 */
export function deploymentHandlers(
  deployments: Deployments,
  uploads: Uploads,
): Handlers<typeof deploymentEndpoints> {
  return {
    list: async ({ caller, query }) => {
      const resources = await deployments.list(caller, query);
      return { resources, offset: query.offset + resources.length };
    },
    create: ({ caller, body }) => deployments.create(caller, body),
    get: ({ caller, params }) => deployments.get(caller, params.deployment_id),
    update: ({ caller, params, body }) => deployments.update(caller, params.deployment_id, body),
    delete: async ({ caller, params, query }) => {
      const deletesProject = query.delete_tracing_project;
      await deployments.delete(caller, params.deployment_id, { deletesProject });
      return undefined;
    },
    deleteMany: async ({ caller, query }) => {
      const deleted: string[] = [];
      const missing: string[] = [];
      for (const id of new Set(query.deployment_ids)) {
        try {
          await deployments.delete(caller, id);
          deleted.push(id);
        } catch (error) {
          if (!(error instanceof HttpError) || error.status !== 404) throw error;
          missing.push(id);
        }
      }
      if (deleted.length === 0) throw new HttpError(404, `Deployment ID ${missing.join(', ')} not found.`);
      return missing.length === 0 ? { deleted } : new Reply({ deleted, not_found: missing }, { status: 207 });
    },
    uploadUrl: async ({ caller, params }) => {
      const row = await deployments.requireChangeable(caller, params.deployment_id);
      if (row.source !== 'internal_source') {
        throw badRequest("upload-url is only available for 'internal_source' source deployments.");
      }
      return uploads.createUrl(row.id);
    },
    upload: async ({ params, request }, response) => {
      await uploads.receive(params.token, request);
      response.end();
    },
    pushToken: async ({ caller, params }) => {
      await deployments.require(caller, params.deployment_id);
      // Public clients recognize the error by these words.
      throw badRequest(
        "push-token is only available for 'internal_docker' source deployments, which this server does not support.",
      );
    },
  };
}
