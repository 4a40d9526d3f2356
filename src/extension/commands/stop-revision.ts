import { RevisionElement } from '../views/platform-deployments.ts';
import type { Command } from './command.ts';

/** Stops a revision that is being built or rolled out. What is live stays live. */
export const stopRevision: Command = async ({ trees }, given) => {
  if (!(given instanceof RevisionElement)) return;
  const { client, deployment } = given.parent;
  const params = { deployment_id: deployment.id, revision_id: given.revision.id };
  await client.revisions.interrupt({ params });
  trees.deployments.refresh();
};
