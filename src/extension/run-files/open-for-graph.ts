import { readFile } from 'node:fs/promises';
import { readGraphNames } from '../../evaluation/find-evaluations.ts';
import { samePath } from '../../project/paths.ts';
import type { RunFileHead } from '../../replay/run-file.ts';
import { standInVariables } from '../../run-files/stand-in-variables.ts';
import type { Config } from '../deployments/configs.ts';
import type { Deployments } from '../deployments/deployments.ts';
import type { OpenDeployment } from '../deployments/open-deployment.ts';

/**
 * The deployment for a run file: the current one, or another of the open folder that has the file's graph.
 * @throws ActionableError when there is none
 */
export async function openForGraph(deployments: Deployments, graphId: string): Promise<OpenDeployment> {
  const { folders } = deployments;
  const key = (await deployments.current())?.key;
  const isCurrent = ({ uri }: Config) => key !== undefined && samePath(uri.fsPath, key);
  const configs = (await folders.canServe()) ? (await folders.list()).map(({ config }) => config) : [];
  for (const config of [...configs.filter(isCurrent), ...configs.filter((other) => !isCurrent(other))]) {
    if (await hasGraph(config, graphId)) return folders.open(config);
  }
  // A remote platform itself reports that it does not have the graph.
  return deployments.open();
}

/**
 * The same for a replay, with its graphs loaded: missing variables of the project get placeholder values.
 * @throws ActionableError when there is none, Error when the graphs cannot be loaded
 */
export async function openToReplay(deployments: Deployments, head: RunFileHead): Promise<OpenDeployment> {
  const opened = await openForGraph(deployments, head.graph_id);
  if (opened.config === undefined) return opened;
  const { folders } = deployments;
  await folders.standIn(opened.config, standInVariables(head));
  const whole = await folders.openWhole(opened.config);
  if (whole.live.runtime.state === 'failed') throw new Error(whole.live.runtime.message);
  return whole;
}

/** Graphs that cannot be loaded are found too. */
async function hasGraph({ uri }: Config, graphId: string): Promise<boolean> {
  try {
    return readGraphNames(await readFile(uri.fsPath, 'utf8')).includes(graphId);
  } catch {
    return false;
  }
}
