import { randomBytes } from 'node:crypto';
import { Client as LangGraphClient } from '@langchain/langgraph-sdk';
import { Client } from '../../src/client/client.ts';
import { selfHostedConnection } from '../../src/client/connection.ts';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { type ServerProcess, serverProcess } from './control-plane/server-process.ts';
import { unusedPort } from './unused-port.ts';
import { eventually } from './wait.ts';

/** One of the servers of a team's platform, at the port that a load balancer knows. */
export interface PlatformNode extends AsyncDisposable {
  readonly process: ServerProcess;
  readonly url: string;
  /** The platform, for the team's key. */
  readonly client: Client;
  /** A deployment, as the real SDK calls it. */
  agent(deploymentId: string): LangGraphClient;
}

/** The options of all servers of a team. */
export interface PlatformTeam {
  readonly key: string;
  /** In hexadecimal. */
  readonly secretsKey: string;
  /** @param environment for this server only. */
  start(environment?: Readonly<Record<string, string>>): Promise<PlatformNode>;
}

/**
 * @param environment for all servers, such as the credentials of the object store.
 * @param objects the object store.
 * @param secretsKey a random one by default.
 * @param urlOf the address for clients, by the port of a server; by default, one at which nothing listens.
 */
export function platformTeam(options: {
  database: string;
  objects: string;
  environment?: Readonly<Record<string, string>>;
  secretsKey?: string;
  urlOf?: (port: number) => string;
}): PlatformTeam {
  const { urlOf = () => 'http://agents.example.com/of/team', secretsKey = randomBytes(32).toString('hex') } =
    options;
  const key = randomBytes(16).toString('hex');
  return {
    key,
    secretsKey,
    start: async (environment = {}) => {
      const port = await unusedPort();
      const process = await serverProcess({
        args: ['--team'],
        env: {
          ...options.environment,
          PORT: String(port),
          AGENT_HARBOR_DATABASE: options.database,
          AGENT_HARBOR_OBJECTS: options.objects,
          AGENT_HARBOR_API_KEY: key,
          AGENT_HARBOR_SECRETS_KEY: secretsKey,
          AGENT_HARBOR_URL: urlOf(port),
          ...environment,
        },
      });
      const url = `http://127.0.0.1:${port}`;
      await eventually('it is ready', async () => (await fetch(`${url}/ready`)).ok, Boolean, 60_000);
      const dispatcher = createDispatcher({});
      const connection = selfHostedConnection(url, { apiKey: key });
      return {
        process,
        url,
        client: new Client({ connection, dispatcher }),
        agent: (deploymentId) =>
          new LangGraphClient({
            apiUrl: `${url}/d/${deploymentId}`,
            apiKey: key,
            callerOptions: { maxRetries: 0 },
          }),
        [Symbol.asyncDispose]: async () => {
          await dispatcher.destroy();
          await process[Symbol.asyncDispose]();
        },
      };
    },
  };
}
