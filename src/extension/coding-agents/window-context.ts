import path from 'node:path';
import { findLatestProject, findProject } from '../../client/find-project.ts';
import { serveDeployment } from '../../coding-agents/serve-deployment.ts';
import type { ProjectToolContext, ServedDeployment } from '../../coding-agents/tool-context.ts';
import { findEvaluatorFiles } from '../../evaluation/find-evaluations.ts';
import { listEvaluators } from '../../evaluation/list-evaluators.ts';
import { filesOnDisk } from '../../project/project-files.ts';
import { describeProject } from '../../run-files/describe-project.ts';
import type { Config } from '../deployments/configs.ts';
import type { Deployments } from '../deployments/deployments.ts';
import type { FolderDeployments } from '../deployments/folder-deployments.ts';
import type { OpenDeployment } from '../deployments/open-deployment.ts';

/**
 * The context of tools in this window: its current deployment, and the selected project of the open folders.
 */
export function toolContextOf(deployments: Deployments, signal: AbortSignal): ProjectToolContext {
  const { folders } = deployments;
  const platform = () => deployments.connection.connect();
  return {
    signal,
    platform,
    deployment: async () => describe(await openLoaded(deployments), signal),
    folder: async () => {
      const current = await deployments.current();
      return current?.in === 'folder' ? path.dirname(current.key) : undefined;
    },
    tracingProject: async () => {
      const client = await platform();
      const name = await deployments.currentName();
      const own = name === undefined ? undefined : await findProject(client, name, { signal });
      return own ?? (await findLatestProject(client, { signal }));
    },
    config: async () => (await requireSelected(folders)).uri.fsPath,
    serve: async (variables = {}) => {
      const config = await requireSelected(folders);
      await folders.open(config);
      await folders.standIn(config, variables);
      // The server may not have noticed the newest changes of files yet.
      await folders.reload(config);
      const opened = await folders.openLoaded(config);
      const { client, live } = opened;
      const { deployment_id: deploymentId } = live;
      const files = await findEvaluatorFiles(filesOnDisk, path.dirname(config.uri.fsPath));
      return {
        ...(await describe(opened, signal)),
        deploymentId,
        evaluators: await listEvaluators(client, deploymentId, files, { signal }),
      };
    },
    describe: async () => describeProject((await requireSelected(folders)).uri.fsPath, process.env),
  };
}

/** The config that the user selected, or else the first one. @throws ActionableError when there is none */
async function requireSelected(folders: FolderDeployments): Promise<Config> {
  const found = await folders.findSelected();
  // If there is none, `open` throws an error that says what to do.
  return found?.config ?? (await folders.open()).config;
}

/**
 * Opens the current deployment. If it is in an open folder, waits until its graphs have loaded or failed to
 * load.
 */
async function openLoaded(deployments: Deployments): Promise<OpenDeployment> {
  const opened = await deployments.open();
  return opened.config === undefined ? opened : deployments.folders.openLoaded(opened.config);
}

function describe({ client, live }: OpenDeployment, signal: AbortSignal): Promise<ServedDeployment> {
  return serveDeployment(client, live, signal);
}
