import type { Duplex } from 'node:stream';

/** The pipe to the server. */
export interface ServerPipe {
  readonly stream: Duplex;
  /** Makes an address of the server reachable in containers that cannot reach it directly. */
  readonly relayTo?: (url: string) => void;
}
