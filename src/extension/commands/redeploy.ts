import { PlatformDeploymentElement, RevisionElement } from '../views/platform-deployments.ts';
import type { Command } from './command.ts';

/** Deploys a revision once more, the newest one of a deployment: the same source and variables. */
export const redeploy: Command = async ({ deploying }, given) => {
  const element = given instanceof RevisionElement ? given.parent : given;
  if (!(element instanceof PlatformDeploymentElement)) return;
  const { connection, deployment } = element;
  const revisionId = given instanceof RevisionElement ? given.revision.id : deployment.latest_revision_id;
  if (revisionId === null) return;
  const { id: deploymentId, name } = deployment;
  await (await deploying()).redeploy({ connectionId: connection.id, deploymentId, revisionId, name });
};
