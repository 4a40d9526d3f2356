import type { Client } from '../client/client.ts';
import { RequestError } from '../client/request-error.ts';
import type { Deployment } from '../contract/control-plane/deployments.ts';
import { isServedInPlace } from './find-deployment.ts';

export type DeploymentWithLatest = Deployment & {
  /** Null when the deployment has no revisions. */
  readonly latest_revision_status: string | null;
  /** The part that does not work although the deployment is served, such as `1 of 2 graphs failed`. */
  readonly problem: string | null;
};

/**
 * Adds to each deployment the status of its latest revision, which may have failed while an earlier one is
 * live. Adds the problem of an open folder whose graphs failed to load.
 */
export function withLatestStatuses(
  client: Client,
  deployments: readonly Deployment[],
  signal: AbortSignal,
): Promise<DeploymentWithLatest[]> {
  return Promise.all(
    deployments.map(async (deployment) => ({
      ...deployment,
      latest_revision_status: await readLatestStatus(client, deployment, signal),
      problem: await findProblem(client, deployment, signal),
    })),
  );
}

async function readLatestStatus(
  client: Client,
  { id, latest_revision_id, active_revision_id }: Deployment,
  signal: AbortSignal,
): Promise<string | null> {
  if (latest_revision_id === null) return null;
  if (latest_revision_id === active_revision_id) return 'DEPLOYED';
  const params = { deployment_id: id, revision_id: latest_revision_id };
  try {
    return (await client.revisions.get({ params }, { signal })).status;
  } catch (error) {
    // 404: the deployment has been deleted in the meantime.
    if (error instanceof RequestError && error.status === 404) return null;
    throw error;
  }
}

/**
 * The problem of a folder that is served in place; null for other deployments. A revision with a graph that
 * fails to load is never deployed.
 */
async function findProblem(
  client: Client,
  deployment: Deployment,
  signal: AbortSignal,
): Promise<string | null> {
  if (!isServedInPlace(deployment) || !deployment.source_config.custom_url) return null;
  const params = { deployment_id: deployment.id };
  try {
    const { runtime } = await client.harbor.getFolder({ params }, { signal });
    if (runtime.state === 'failed') return 'failed to load';
    const graphs = runtime.state === 'ready' ? runtime.graphs : [];
    const failed = graphs.filter(({ status }) => status === 'failed').length;
    return failed === 0
      ? null
      : `${failed} of ${graphs.length} graph${graphs.length === 1 ? '' : 's'} failed`;
  } catch (error) {
    // The problem stays unknown, for example if the folder was closed in the meantime.
    if (error instanceof RequestError) return null;
    throw error;
  }
}
