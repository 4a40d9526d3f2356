import type { IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import type { Dispatcher } from 'undici';
import { Client } from '../../client/client.ts';
import { findLatestProject, findProject } from '../../client/find-project.ts';
import { listDeployments } from '../../client/list-deployments.ts';
import { isNotFound } from '../../client/request-error.ts';
import { serveDeployment } from '../../coding-agents/serve-deployment.ts';
import type { ToolContext } from '../../coding-agents/tool-context.ts';
import type { Deployment } from '../../contract/control-plane/deployments.ts';
import type { LiveDeployment } from '../../contract/harbor.ts';
import type { Caller } from '../http/caller.ts';

/** The deployments that this server serves. */
export interface Deployments {
  /** Whether a deployment is served here now. */
  isHere(deploymentId: string): boolean;
  /**
   * Finds the address of a deployment on this machine, and waits until it is served.
   * @returns undefined for a deployment that is not served here.
   * @throws HttpError 503 when it cannot be served.
   */
  find(deploymentId: string): Promise<string | undefined>;
}

interface ContextOptions {
  /** The address of this platform on this machine. */
  readonly baseUrl: string;
  readonly dispatcher: Dispatcher;
  readonly deployments: Deployments;
  /** The name or ID of the deployment, if the URL contains one. */
  readonly wanted: string | undefined;
}

/** The headers by which this platform, and the `auth` of a project, identify a caller. */
const CREDENTIALS = ['x-api-key', 'authorization', 'x-auth-scheme'];

/** How many deployments an error names. */
const MAX_NAMES = 20;

/** The context of the tools of one request: this platform, and one of the caller's deployments. */
export function toolContextOf(
  call: { readonly caller: Caller; readonly headers: IncomingHttpHeaders; readonly signal: AbortSignal },
  { baseUrl, dispatcher, deployments, wanted }: ContextOptions,
): ToolContext {
  const { signal } = call;
  const client = new Client({
    dispatcher,
    connection: {
      baseUrl,
      controlPlaneUrl: baseUrl,
      credentials: { tenantId: call.caller.workspaceId, headers: credentialsOf(call.headers) },
    },
  });
  let found: Promise<Deployment | undefined> | undefined;
  const find = () => {
    found ??= findDeployment(client, deployments, wanted, signal);
    return found;
  };
  return {
    signal,
    platform: async () => client,
    deployment: async () => {
      const deployment = await find();
      if (deployment === undefined) throw new Error(await howToChoose(client, signal));
      const url = await deployments.find(deployment.id);
      if (url === undefined) throw new Error(`Deployment '${deployment.name}' is not served here.`);
      const served = client.withDeployment(url);
      return serveDeployment(served, await readLive(served, deployment.id, signal), signal);
    },
    folder: async () => {
      const config = (await find())?.source_revision_config?.platform_config_path;
      // The path of a built deployment is relative to its source.
      return typeof config === 'string' && path.isAbsolute(config) ? path.dirname(config) : undefined;
    },
    tracingProject: async () => {
      const name = (await find())?.name;
      const own = name === undefined ? undefined : await findProject(client, name, { signal });
      return own ?? (await findLatestProject(client, { signal }));
    },
  };
}

function credentialsOf(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    CREDENTIALS.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])),
  );
}

/**
 * Finds the wanted deployment, or the only one that is served here.
 * @returns undefined if none is wanted, and several or none are served.
 * @throws Error with a sentence for the caller if the wanted one does not exist.
 */
async function findDeployment(
  client: Client,
  deployments: Deployments,
  wanted: string | undefined,
  signal: AbortSignal,
): Promise<Deployment | undefined> {
  const all = await listDeployments(client, undefined, signal);
  if (wanted !== undefined) {
    const named = all.find(({ id, name }) => id === wanted || name === wanted);
    if (named === undefined)
      throw new Error(`There is no deployment '${wanted}'. Deployments: ${namesOf(all)}.`);
    return named;
  }
  const here = all.filter(({ id }) => deployments.isHere(id));
  return here.length === 1 ? here[0] : undefined;
}

/** A sentence that says how to choose a deployment. */
async function howToChoose(client: Client, signal: AbortSignal): Promise<string> {
  const all = await listDeployments(client, undefined, signal);
  if (all.length === 0)
    return 'This server has no deployment. Open a folder with agent-harbor dev, or deploy one.';
  return `Name a deployment in the address of this server: /harbor/mcp?deployment=NAME. Deployments: ${namesOf(all)}.`;
}

function namesOf(all: readonly Deployment[]): string {
  const names = all.slice(0, MAX_NAMES).map(({ name }) => name);
  const more = all.length - names.length;
  return [...names, ...(more > 0 ? [`and ${more} more`] : [])].join(', ') || 'none';
}

/** Reads the state of an open folder, once its graphs have loaded; undefined for a built deployment. */
async function readLive(
  { harbor }: Client,
  deployment_id: string,
  signal: AbortSignal,
): Promise<LiveDeployment | undefined> {
  try {
    return await harbor.getFolder({ params: { deployment_id }, query: { loaded: 'true' } }, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
