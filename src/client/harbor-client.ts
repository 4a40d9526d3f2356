import { debugging } from '../contract/debugging.ts';
import { harbor } from '../contract/harbor.ts';
import { bind, type Calls } from './calls.ts';
import { type ClientOptions, transportOf } from './client-options.ts';
import { type Connection, harborAddress } from './connection.ts';
import type { EventStream } from './event-stream.ts';
import type { Transport } from './transport.ts';

/**
 * The endpoints of Agent Harbor's own servers for open folders, changes and debugging. A command that mostly waits uses
 * these instead of `Client`, because loading the schemas of the whole contract would take most of its time.
 */
export interface HarborClient {
  readonly connection: Connection;
  readonly harbor: Calls<typeof harbor>;
  readonly debugging: Calls<typeof debugging>;
}

export function harborClient(options: ClientOptions): HarborClient {
  return bindHarbor(transportOf(options), options.connection);
}

/** The same calls over a transport that a `Client` has already. */
export function bindHarbor(transport: Transport, connection: Connection): HarborClient {
  const options = {
    transport,
    address: (path: string) => harborAddress(connection.baseUrl, path),
    stream: (first: EventStream) => first,
  };
  return {
    connection,
    // Loading a graph runs the user's code.
    harbor: bind(harbor, { ...options, noTimeout: ['openFolder', 'restartFolder'] }),
    debugging: bind(debugging, options),
  };
}
