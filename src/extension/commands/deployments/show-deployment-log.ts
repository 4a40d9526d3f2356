import * as vscode from 'vscode';
import { placeOf } from '../../deployments/deployment-key.ts';
import type { Deployments } from '../../deployments/deployments.ts';
import type { FolderDeployments } from '../../deployments/folder-deployments.ts';
import type { FolderLogs } from '../../deployments/folder-logs.ts';
import type { PlatformLogs } from '../../deployments/platform-logs.ts';
import { DeploymentElement } from '../../views/deployments.ts';
import { PlatformDeploymentElement } from '../../views/platform-deployments.ts';
import type { Command } from '../command.ts';

interface ShowDeploymentLogParts {
  readonly deployments: Pick<Deployments, 'current'> & { readonly folders: Pick<FolderDeployments, 'open'> };
  readonly deploymentLogs: Pick<FolderLogs, 'show'>;
  readonly platformLogs: Pick<PlatformLogs, 'show'>;
}

/** Shows and follows a deployment's log. It throws an Error if the deployment has none. */
export const showDeploymentLog: Command<ShowDeploymentLogParts> = async (
  { deployments, deploymentLogs, platformLogs },
  argument,
) => {
  if (argument instanceof PlatformDeploymentElement) {
    const { connection, deployment } = argument;
    platformLogs.show({ connection, deploymentId: deployment.id, name: deployment.name });
    return;
  }
  const current = argument === undefined ? await deployments.current() : undefined;
  if (current?.in === 'platform') {
    const { connection, key, name } = current;
    const place = placeOf(key);
    // An Agent Server connection has a deployment without an ID, and no log.
    if (place.in !== 'platform' || place.deploymentId === undefined)
      throw new Error(vscode.l10n.t('The agent server {0} provides no log.', connection.label));
    platformLogs.show({ connection, deploymentId: place.deploymentId, name });
    return;
  }
  const config = argument instanceof DeploymentElement ? argument.config : undefined;
  deploymentLogs.show(await deployments.folders.open(config));
};
