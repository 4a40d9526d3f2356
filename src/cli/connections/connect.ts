import { Option } from 'commander';
import { Client } from '../../client/client.ts';
import {
  addressProblem,
  type Connection,
  type Credentials,
  cloudConnection,
  selfHostedConnection,
} from '../../client/connection.ts';
import { clientOf } from '../../launcher/client-of.ts';
import { Presence } from '../../launcher/presence.ts';
import { harborOf } from '../../launcher/running-server.ts';
import { type Context, launcherOptions } from '../terminal/context.ts';
import { Failure, usage } from '../terminal/failure.ts';
import { connectionFilePath, readStoredConnection } from './connection-file.ts';

/** The connection of a command to a control plane. Dispose of it when the command ends. */
export interface ControlPlaneSession extends AsyncDisposable {
  readonly client: Client;
  /** `local` is the embedded server on this machine, which can read folders. */
  readonly place: 'local' | 'remote';
  /** Whether the platform keeps running without this command. */
  staysUp(): Promise<boolean>;
}

export interface ConnectOptions {
  readonly connection: string;
  readonly dataDir?: string | undefined;
}

export function connectionOption(): Option {
  return new Option(
    '--connection <where>',
    'local, us, eu, a server URL, or a name from your connections file',
  ).default('local');
}

/**
 * Connects to a control plane. Keys come from the connections file or from the environment (`AGENT_HARBOR_API_KEY`, else
 * `LANGSMITH_API_KEY`), never from the command line, which other users of the machine can read.
 * @throws Failure when there is no such connection, or no key for it.
 */
export async function connectToControlPlane(
  context: Context,
  options: ConnectOptions,
): Promise<ControlPlaneSession> {
  const { connection: where } = options;
  if (where === 'local') return connectLocally(context, options);
  const { environment, dispatcher } = context;
  const stored = await readStoredConnection(environment, where);
  const address = stored?.url ?? where;
  const credentials: Credentials = {
    apiKey: stored?.api_key ?? firstSet(environment.AGENT_HARBOR_API_KEY, environment.LANGSMITH_API_KEY),
    tenantId:
      stored?.tenant_id ?? firstSet(environment.LANGSMITH_TENANT_ID, environment.LANGSMITH_WORKSPACE_ID),
  };
  const connection = connectionTo(address, credentials);
  if (credentials.apiKey === undefined) {
    throw new Failure(
      `No API key for ${where}. Set AGENT_HARBOR_API_KEY or LANGSMITH_API_KEY, or add it to ${connectionFilePath(environment)}.`,
    );
  }
  return {
    client: new Client({ dispatcher, connection }),
    place: 'remote',
    staysUp: () => Promise.resolve(true),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** The first variable with a value. CI systems set missing ones to the empty string. */
export function firstSet(...values: readonly (string | undefined)[]): string | undefined {
  return values.find((value) => value !== undefined && value !== '');
}

function connectionTo(address: string, credentials: Credentials): Connection {
  if (address === 'us' || address === 'eu') return cloudConnection(address, credentials);
  switch (addressProblem(address)) {
    case 'no-address':
      throw usage(
        `'${address}' is not a connection. Use local, us, eu, or a URL such as https://agents.example.com.`,
      );
    case 'unencrypted':
      throw usage(`Use https for ${address}. The key would be sent unencrypted.`);
  }
  return selfHostedConnection(address.replace(/\/api-host\/?$/, ''), credentials);
}

/** Finds or starts the embedded server. It stays up for a while after the command, and until its builds are done. */
async function connectLocally(context: Context, options: ConnectOptions): Promise<ControlPlaneSession> {
  const presence = new Presence({
    client: 'agent-harbor',
    launcher: launcherOptions(context, { dataDir: options.dataDir }),
  });
  const dispose = () => presence.close();
  try {
    const server = await presence.start();
    const { harbor } = harborOf(server, context.dispatcher);
    return {
      client: clientOf(server, context.dispatcher),
      place: 'local',
      // If the server no longer answers, the command does not advise to keep it running.
      staysUp: () =>
        harbor.handshake().then(
          ({ stays_up }) => stays_up === true,
          () => true,
        ),
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}
