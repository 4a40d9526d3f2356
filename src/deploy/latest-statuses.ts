import type { Client } from '../client/client.ts';
import { RequestError } from '../client/request-error.ts';
import type { Deployment } from '../contract/control-plane/deployments.ts';

/** A deployment with the status of its latest revision; null when it has no revisions. */
export type DeploymentWithLatest = Deployment & { readonly latest_revision_status: string | null };

/** Adds the status of the latest revision, which may have failed while an earlier one serves. */
export function withLatestStatuses(
  client: Client,
  deployments: readonly Deployment[],
  signal: AbortSignal,
): Promise<DeploymentWithLatest[]> {
  return Promise.all(
    deployments.map(async (deployment) => ({
      ...deployment,
      latest_revision_status: await latestStatus(client, deployment, signal),
    })),
  );
}

async function latestStatus(
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
    // The deployment was deleted meanwhile.
    if (error instanceof RequestError && error.status === 404) return null;
    throw error;
  }
}
