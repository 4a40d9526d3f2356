import { PlatformDeploymentElement, RevisionElement } from '../views/platform-deployments.ts';
import type { Command } from './command.ts';

/** Follows the build log of a revision, the newest one of a deployment. */
export const showBuildLog: Command = ({ platformLogs }, given) => {
  const element = given instanceof RevisionElement ? given.parent : given;
  if (!(element instanceof PlatformDeploymentElement)) return;
  const { connection, deployment } = element;
  const revisionId = given instanceof RevisionElement ? given.revision.id : deployment.latest_revision_id;
  if (revisionId === null) return;
  platformLogs.show({ connection, deploymentId: deployment.id, name: deployment.name, revisionId });
};
