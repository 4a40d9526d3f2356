import type { draining as drainingEndpoints } from '../../../contract/control-plane/draining.ts';
import type { revisions as revisionEndpoints } from '../../../contract/control-plane/revisions.ts';
import { badRequest } from '../../http/errors.ts';
import type { Handlers } from '../../http/router.ts';
import { type RevisionRow, type RevisionStore, toRevision } from '../data/revision-store.ts';
import type { Deployments } from '../deployments/deployments.ts';
import type { RevisionPipeline } from '../revisions/revision-pipeline.ts';
import type { DrainingRevisions } from '../serving/draining-revisions.ts';

/**
 * Revisions of a deployment, newest first (docs/interface/control-plane.md#revisions). 404 for those of other
 * workspaces, 400 for actions that a revision's status does not allow.
 */
export function revisionHandlers(
  deployments: Deployments,
  store: RevisionStore,
  pipeline: RevisionPipeline,
  drains: Pick<DrainingRevisions, 'end'>,
): Handlers<typeof revisionEndpoints & typeof drainingEndpoints> {
  const describe = async (...rows: RevisionRow[]) => {
    const isDraining = rows.some(({ draining_until }) => draining_until !== null);
    const draining = isDraining ? await store.listDraining(rows[0]?.deployment_id) : [];
    const runs = new Map(draining.map((row) => [row.id, row.runs]));
    return rows.map((row) => toRevision(row, runs.get(row.id)));
  };
  const describeOne = async (row: RevisionRow) => (await describe(row))[0] ?? toRevision(row);
  return {
    list: async ({ caller, params, query }) => {
      const deployment = await deployments.require(caller, params.deployment_id);
      const rows = await store.list(deployment.id, query);
      return { resources: await describe(...rows), offset: query.offset + rows.length };
    },
    get: async ({ caller, params }) => {
      const deployment = await deployments.require(caller, params.deployment_id);
      return describeOne(await deployments.requireRevision(deployment, params.revision_id));
    },
    redeploy: ({ caller, params }) => deployments.redeploy(caller, params.deployment_id, params.revision_id),
    interrupt: async ({ caller, params }) => {
      const deployment = await deployments.require(caller, params.deployment_id);
      await pipeline.interrupt(await deployments.requireRevision(deployment, params.revision_id));
      return describeOne(await deployments.requireRevision(deployment, params.revision_id));
    },
    end: async ({ caller, params }) => {
      const deployment = await deployments.require(caller, params.deployment_id);
      const { id } = await deployments.requireRevision(deployment, params.revision_id);
      if (!(await drains.end(deployment.id, id)))
        throw badRequest(`Revision ${id} is not draining. There is nothing to end.`);
      return describeOne(await deployments.requireRevision(deployment, id));
    },
  };
}
