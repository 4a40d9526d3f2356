import type { PlatformLogs } from '../../deployments/platform-logs.ts';
import { PlatformDeploymentElement, RevisionElement } from '../../views/platform-deployments.ts';
import { rowCommand } from '../command.ts';

/** Follows the build log of a revision, or of a deployment's newest revision. */
export const showBuildLog = rowCommand(
  [PlatformDeploymentElement, RevisionElement],
  ({ platformLogs }: { readonly platformLogs: PlatformLogs }, row) => {
    const element = row instanceof RevisionElement ? row.parent : row;
    const { connection, deployment } = element;
    const revisionId = row instanceof RevisionElement ? row.revision.id : deployment.latest_revision_id;
    if (revisionId === null) return;
    platformLogs.show({ connection, deploymentId: deployment.id, name: deployment.name, revisionId });
  },
);
