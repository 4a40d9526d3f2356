import { realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HarborClient } from '../../client/harbor-client.ts';
import type { LiveDeployment } from '../../contract/harbor.ts';
import { ifPresent } from '../../process/if-present.ts';
import { pickVariables } from '../../process/pick-variables.ts';
import { Failure } from '../terminal/failure.ts';

/** The server's name for this process. The server serves a folder until every client that opened it has closed it. */
export const HOLDER = `agent-harbor-${process.pid}`;

const POLL_MS = 20;

/**
 * The real path of a langgraph.json.
 * @param config the path of the file or of its folder
 * @throws Failure when it does not exist
 */
export async function findConfig(config: string): Promise<string> {
  const named = resolve(config);
  const isFolder = (await ifPresent(stat(named)))?.isDirectory() ?? false;
  const path = isFolder ? join(named, 'langgraph.json') : named;
  try {
    return await realpath(path);
  } catch {
    throw new Failure(
      `File not found: ${path}. Pass the path of your langgraph.json with --config, or create an agent with agent-harbor new.`,
    );
  }
}

/** How a folder is served. */
export interface ServingOptions {
  readonly port?: number | undefined;
  readonly python?: string | undefined;
  /** Whether the agent requires a key from now on; unchanged when absent. */
  readonly requireKey?: boolean | undefined;
  /** A network address to listen on besides loopback. */
  readonly host?: string | undefined;
}

export interface OpenFolderOptions extends ServingOptions {
  /** Values of variables that this shell does not have. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  readonly signal: AbortSignal;
  /** Called once the deployment is known, while its graphs load. */
  onOpened?(deployment: LiveDeployment): void;
}

/** The request that opens a folder. @param configPath real path of a langgraph.json. */
export function openRequest(configPath: string, { port, python, requireKey, host }: ServingOptions) {
  return {
    config_path: configPath,
    holder: HOLDER,
    ...(port === undefined ? {} : { port }),
    ...(python === undefined ? {} : { python }),
    ...(requireKey === undefined ? {} : { require_key: requireKey }),
    ...(host === undefined ? {} : { host }),
  };
}

/** Serves the agent of a langgraph.json, and waits until its graphs are loaded or have failed to load. */
export async function openFolder(
  client: HarborClient,
  configPath: string,
  options: OpenFolderOptions,
): Promise<LiveDeployment> {
  const { variables, signal, onOpened } = options;
  const body = {
    ...openRequest(configPath, options),
    // The graphs get this shell's environment, because the server may have been started elsewhere.
    env: pickVariables(process.env),
    ...(variables === undefined ? {} : { stand_ins: variables }),
  };
  let deployment = await client.harbor.openFolder({ body }, { signal });
  onOpened?.(deployment);
  const { deployment_id } = deployment;
  while (deployment.runtime.state === 'starting') {
    deployment = await client.harbor.getFolder(
      { params: { deployment_id }, query: { loaded: 'true' } },
      { signal },
    );
    // An older server answers before the graphs are loaded.
    if (deployment.runtime.state === 'starting') await sleep(POLL_MS, undefined, { signal });
  }
  return deployment;
}
