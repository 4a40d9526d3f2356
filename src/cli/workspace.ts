import { realpath } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../client/client.ts';
import type { LiveDeployment } from '../contract/harbor.ts';
import { Failure } from './failure.ts';

/** A workspace's agent while this program uses it. */
export interface OpenedWorkspace {
  readonly deployment: LiveDeployment;
  /** Somebody else had it served already, so that closing it is not ours to do. */
  readonly wasOpen: boolean;
}

/**
 * The real path of a langgraph.json.
 * @throws Failure when there is none.
 */
export async function findConfig(config: string): Promise<string> {
  const path = resolve(config);
  try {
    return await realpath(path);
  } catch {
    throw new Failure(`There is no file ${path}; name your agent's langgraph.json with --config.`);
  }
}

/** Serves the agent of a langgraph.json, and waits until its graphs are loaded or have failed to. */
export async function openWorkspace(
  client: Client,
  configPath: string,
  options: { port?: number | undefined; signal: AbortSignal },
): Promise<OpenedWorkspace> {
  const { port, signal } = options;
  const wasOpen = await isServed(client, configPath, signal);
  const body = { config_path: configPath, ...(port === undefined ? {} : { port }) };
  let deployment = await client.harbor.openWorkspace({ body }, { signal });
  while (deployment.runtime.state === 'starting') {
    await sleep(50, undefined, { signal });
    deployment = await client.harbor.getWorkspace(
      { params: { deployment_id: deployment.deployment_id } },
      { signal },
    );
  }
  return { deployment, wasOpen };
}

async function isServed(client: Client, configPath: string, signal: AbortSignal): Promise<boolean> {
  // A live deployment has the name of its folder.
  const query = { limit: 100, name_contains: basename(dirname(configPath)) };
  const { resources } = await client.deployments.list({ query }, { signal });
  return resources.some(
    ({ source_config, source_revision_config }) =>
      source_revision_config.platform_config_path === configPath &&
      typeof source_config.custom_url === 'string' &&
      source_config.custom_url !== '',
  );
}
