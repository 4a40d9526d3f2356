import type { Duplex } from 'node:stream';

/** The way to the server. */
export interface ServerPipe {
  readonly stream: Duplex;
  /** Makes an address of the server lead to it, where it does not by itself. */
  readonly relayTo?: (url: string) => void;
}
