import type { draining as drainingEndpoints } from '../../../contract/control-plane/draining.ts';
import type { revisions as revisionEndpoints } from '../../../contract/control-plane/revisions.ts';
import { badRequest } from '../../http/errors.ts';
import type { Handlers } from '../../http/router.ts';
import type { RevisionRow, RevisionStore } from '../data/revision-store.ts';
import { toRevision } from '../data/revision-wire.ts';
import type { Deployments } from '../deployments/deployments.ts';
import type { RevisionPipeline } from '../revisions/revision-pipeline.ts';
import type { DrainingRevisions } from '../serving/draining-revisions.ts';

/**
 * Revisions of a deployment, newest first (docs/interface/control-plane.md#revisions). A revision of another workspace is
 * 404, and an action that its status does not allow is 400.
 */
export function revisionHandlers(
  deployments: Deployments,
  store: RevisionStore,
  pipeline: RevisionPipeline,
  drains: Pick<DrainingRevisions, 'end'>,
): Handlers<typeof revisionEndpoints & typeof drainingEndpoints> {
  /** The number of runs on each of these revisions of a deployment that is draining, by the revision's ID. */
  const countRuns = async (deploymentId: string, rows: readonly RevisionRow[]) => {
    const isDraining = rows.some(({ draining_until }) => draining_until !== null);
    const draining = isDraining ? await store.listDraining(deploymentId) : [];
    return new Map(draining.map(({ id, runs }) => [id, runs]));
  };
  /** The wire format of a revision, with the number of its runs if it is draining. */
  const describe = async (row: RevisionRow) => {
    const runs = await countRuns(row.deployment_id, [row]);
    return toRevision(row, runs.get(row.id));
  };
  return {
    list: async ({ caller, params, query }) => {
      const deployment = await deployments.require(caller, params.deployment_id);
      const rows = await store.list(deployment.id, query);
      const runs = await countRuns(deployment.id, rows);
      const resources = rows.map((row) => toRevision(row, runs.get(row.id)));
      return { resources, offset: query.offset + rows.length };
    },
    get: async ({ caller, params }) => {
      const deployment = await deployments.require(caller, params.deployment_id);
      return describe(await deployments.requireRevision(deployment, params.revision_id));
    },
    redeploy: ({ caller, params }) => deployments.redeploy(caller, params.deployment_id, params.revision_id),
    interrupt: async ({ caller, params }) => {
      const deployment = await deployments.require(caller, params.deployment_id);
      await pipeline.interrupt(await deployments.requireRevision(deployment, params.revision_id));
      return describe(await deployments.requireRevision(deployment, params.revision_id));
    },
    end: async ({ caller, params }) => {
      const deployment = await deployments.require(caller, params.deployment_id);
      const { id } = await deployments.requireRevision(deployment, params.revision_id);
      if (!(await drains.end(deployment.id, id)))
        throw badRequest(`Revision ${id} is not draining. There is nothing to end.`);
      return describe(await deployments.requireRevision(deployment, id));
    },
  };
}
