import { Client } from '../../client/client.ts';
import type { LiveDeployment } from '../../contract/harbor.ts';
import { clientOf } from '../../launcher/client-of.ts';
import { Presence } from '../../launcher/presence.ts';
import { firstSet } from '../connections/connect.ts';
import { failureSentence } from '../render/places.ts';
import { type Context, launcherOptions } from '../terminal/context.ts';
import { Failure, usage } from '../terminal/failure.ts';
import { disconnect } from './disconnect.ts';
import { findConfig, HOLDER } from './open-folder.ts';
import { openFolderWithProgress } from './open-folder-with-progress.ts';

/** The connection of a command to the platform of a data folder on this machine. */
export interface PlatformSession {
  readonly client: Client;
  readonly presence: Presence;
  close(): Promise<void>;
}

/** Finds or starts the platform of a data folder. Closing the session stops the platform if nothing else uses it. */
export async function connectToPlatform(
  context: Context,
  options: { readonly dataDir?: string | undefined; readonly client: string },
): Promise<PlatformSession> {
  const presence = new Presence({
    client: options.client,
    holder: HOLDER,
    launcher: launcherOptions(context, options),
  });
  const close = async () => void (await disconnect({ presence, dispatcher: context.dispatcher }));
  try {
    const server = await presence.start(context.interrupted);
    return { presence, client: clientOf(server, context.dispatcher), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The connection of a command to an agent server. */
export interface AgentSession {
  readonly client: Client;
  /** Why the graphs of the folder did not load; stored data can still be read. */
  readonly loadFailure?: string | undefined;
  close(): Promise<void>;
}

/**
 * Connects to the deployment at a URL, with the key from `LANGGRAPH_API_KEY`, else `LANGSMITH_API_KEY`.
 * @throws Failure for text that is not the URL of a website
 */
export function connectToDeployment(context: Context, deploymentUrl: string): AgentSession {
  if (!/^https?:$/.test(URL.parse(deploymentUrl)?.protocol ?? '')) {
    throw usage(`'${deploymentUrl}' is not the URL of a deployment, such as http://127.0.0.1:2024.`);
  }
  const { LANGGRAPH_API_KEY, LANGSMITH_API_KEY, LANGSMITH_WORKSPACE_ID } = context.environment;
  const client = new Client({
    dispatcher: context.dispatcher,
    connection: {
      // The platform of the deployment is unknown, and not needed for runs.
      baseUrl: deploymentUrl,
      controlPlaneUrl: deploymentUrl,
      deploymentUrl,
      credentials: {
        apiKey: firstSet(LANGGRAPH_API_KEY, LANGSMITH_API_KEY),
        tenantId: firstSet(LANGSMITH_WORKSPACE_ID),
      },
    },
  });
  return { client, close: async () => {} };
}

/** A folder that a command has opened on the local platform. */
export interface OpenedFolder {
  /** The client of the platform. */
  readonly client: Client;
  readonly deployment: LiveDeployment;
  /** The messages of its log that were printed while its graphs loaded. */
  readonly shown: ReadonlySet<string>;
  close(): Promise<void>;
}

/**
 * Serves the agent of a langgraph.json until the result is closed. An agent that is not served yet gets any
 * port.
 * @param options.configPath the real path of the langgraph.json
 * @param options.client the name of this client, for the server's log
 */
export async function openFolderForCommand(
  context: Context,
  options: {
    readonly configPath: string;
    readonly client: string;
    readonly dataDir?: string | undefined;
    /** Values of variables that this shell does not have. */
    readonly variables?: Readonly<Record<string, string>>;
  },
): Promise<OpenedFolder> {
  const { dispatcher } = context;
  const { presence, client } = await connectToPlatform(context, options);
  let openedFolderId: string | undefined;
  const close = async () => void (await disconnect({ presence, dispatcher, openedFolderId }));
  try {
    const opened = await openFolderWithProgress(context, client, options.configPath, {
      variables: options.variables,
    });
    openedFolderId = opened.deployment.deployment_id;
    return { client, ...opened, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Connects to the agent of a langgraph.json. If the agent is not served yet, it is served while the command
 * runs.
 * @throws Failure when the agent or the requested graph cannot be loaded
 */
export async function connectToFolder(
  context: Context,
  options: {
    readonly config: string;
    readonly dataDir?: string | undefined;
    readonly graph: string;
    /** Values of variables that this shell does not have. */
    readonly variables?: Readonly<Record<string, string>>;
  },
): Promise<AgentSession> {
  const configPath = await findConfig(options.config);
  const { terminal } = context;
  const opening = { ...options, configPath, client: 'agent-harbor run' };
  const { client, deployment, shown, close } = await openFolderForCommand(context, opening);
  try {
    const { runtime } = deployment;
    if (runtime.state === 'failed') throw new Failure(failureSentence(runtime));
    const { graphs, warnings = [] } = runtime.state === 'ready' ? runtime : { graphs: [] };
    for (const warning of warnings)
      if (!shown.has(warning)) terminal.note(terminal.errorColors.yellow(warning));
    const graph = graphs.find(({ graph_id }) => graph_id === options.graph);
    if (graph?.status === 'failed') {
      throw new Failure(`Graph '${graph.graph_id}' failed to load: ${failureSentence(graph.error)}`);
    }
    return { client: client.withDeployment(deployment.deployment_url), close };
  } catch (error) {
    await close();
    throw error;
  }
}
