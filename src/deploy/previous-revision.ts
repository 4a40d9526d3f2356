import type { Client } from '../client/client.ts';
import { eachPage } from '../client/each-page.ts';
import type { CallOptions } from '../client/transport.ts';
import type { Deployment } from '../contract/control-plane/deployments.ts';
import type { Revision } from '../contract/control-plane/revisions.ts';

/**
 * The ID of the newest deployed revision before the live one: the target of a rollback.
 * @throws Error when there is none, RequestError
 */
export async function findPreviousRevision(
  client: Pick<Client, 'revisions'>,
  deployment: Pick<Deployment, 'id' | 'name' | 'active_revision_id'>,
  options: CallOptions = {},
): Promise<string> {
  const params = { deployment_id: deployment.id };
  const pages = eachPage({ idOf: ({ id }: Revision) => id }, async (query) => {
    const { resources } = await client.revisions.list({ params, query }, options);
    return resources;
  });
  let isEarlier = false;
  for await (const page of pages)
    for (const { id, status } of page) {
      if (isEarlier && status === 'DEPLOYED') return id;
      if (id === deployment.active_revision_id) isEarlier = true;
    }
  throw new Error(`'${deployment.name}' has no earlier revision to roll back to.`);
}
