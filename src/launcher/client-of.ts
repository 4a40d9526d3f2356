import type { Dispatcher } from 'undici';
import { Client } from '../client/client.ts';
import { localConnection } from '../client/connection.ts';
import type { RunningServer } from './running-server.ts';

/** A client for a server's platform and control plane; `client.withDeployment(url)` is one for an agent server. */
export function clientOf(server: Pick<RunningServer, 'baseUrl' | 'apiKey'>, dispatcher: Dispatcher): Client {
  return new Client({ connection: localConnection(server), dispatcher });
}
