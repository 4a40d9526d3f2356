import type { Client } from '../client/client.ts';
import type { CallOptions } from '../client/transport.ts';
import type { Deployment } from '../contract/control-plane/deployments.ts';

/**
 * The ID of the newest deployed revision before the live one: the target of a rollback.
 * @throws Error when there is none.
 */
export async function findPreviousRevision(
  client: Client,
  deployment: Deployment,
  options: CallOptions = {},
): Promise<string> {
  const { resources } = await client.revisions.list(
    { params: { deployment_id: deployment.id }, query: { limit: 100 } },
    options,
  );
  const live = resources.findIndex(({ id }) => id === deployment.active_revision_id);
  const earlier = resources.slice(live + 1).find(({ status }) => status === 'DEPLOYED');
  if (live !== -1 && earlier !== undefined) return earlier.id;
  throw new Error(`'${deployment.name}' has no earlier revision to roll back to.`);
}
