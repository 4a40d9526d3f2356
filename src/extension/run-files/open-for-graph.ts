import { readFile } from 'node:fs/promises';
import { readGraphNames } from '../../evaluation/graph-of-dataset.ts';
import { samePath } from '../../project/paths.ts';
import type { RunFileHead } from '../../replay/run-file.ts';
import { standInVariables } from '../../run-files/stand-in-variables.ts';
import type { Config } from '../deployments/configs.ts';
import type { Deployments } from '../deployments/deployments.ts';
import type { OpenDeployment } from '../deployments/open-deployment.ts';

/**
 * Opens a deployment of the open folders that has a graph, preferably the current one. If none has it, opens
 * the current deployment.
 * @throws ActionableError if there is none
 */
export async function openForGraph(deployments: Deployments, graphId: string): Promise<OpenDeployment> {
  const { folders } = deployments;
  const key = (await deployments.current())?.key;
  const isCurrent = ({ uri }: Config) => key !== undefined && samePath(uri.fsPath, key);
  const configs = (await folders.canServe()) ? (await folders.list()).map(({ config }) => config) : [];
  for (const config of [...configs.filter(isCurrent), ...configs.filter((other) => !isCurrent(other))]) {
    if (await hasGraph(config, graphId)) return folders.open(config);
  }
  // If a remote platform does not have the graph, the next request says so.
  return deployments.open();
}

/**
 * Opens a deployment for the replay of a run, and waits until its graphs have loaded. Variables that the
 * project lacks get placeholder values.
 * @throws ActionableError if there is no deployment, Error if the graphs cannot be loaded
 */
export async function openToReplay(deployments: Deployments, head: RunFileHead): Promise<OpenDeployment> {
  const opened = await openForGraph(deployments, head.graph_id);
  if (opened.config === undefined) return opened;
  const { folders } = deployments;
  await folders.standIn(opened.config, standInVariables(head));
  const loaded = await folders.openLoaded(opened.config);
  if (loaded.live.runtime.state === 'failed') throw new Error(loaded.live.runtime.message);
  return loaded;
}

/** Whether a langgraph.json names a graph. The graph need not be loaded. */
async function hasGraph({ uri }: Config, graphId: string): Promise<boolean> {
  try {
    return readGraphNames(await readFile(uri.fsPath, 'utf8')).includes(graphId);
  } catch {
    // A file that cannot be read or parsed names no graph; opening it says why.
    return false;
  }
}
