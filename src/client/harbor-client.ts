import { debugging } from '../contract/debugging.ts';
import { harbor } from '../contract/harbor.ts';
import { bind, type Calls } from './calls.ts';
import { type ClientOptions, transportOf } from './client-options.ts';
import { type Connection, harborAddress } from './connection.ts';
import type { EventStream } from './event-stream.ts';
import type { Transport } from './transport.ts';

/**
 * The calls that start, greet and follow an embedded server. A command that mostly waits uses these instead of
 * `Client`, because the schemas of the whole contract would take longer to load than everything else it does.
 */
export interface HarborClient {
  readonly connection: Connection;
  /** Only on the embedded server. */
  readonly harbor: Calls<typeof harbor>;
  /** Only on the embedded server. */
  readonly debugging: Calls<typeof debugging>;
}

export function harborClient(options: ClientOptions): HarborClient {
  return bindHarbor(transportOf(options), options.connection);
}

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
