import type { Duplex } from 'node:stream';

/** The pipe to the server. */
export interface ServerPipe {
  readonly stream: Duplex;
  /** Forwards an address of the server to it, where it cannot be reached directly. */
  readonly relayTo?: (url: string) => void;
}
