import { purging as purgingTable } from '../contract/purging.ts';
import { bind, type Calls } from './calls.ts';
import { platformAddress } from './connection.ts';
import type { EventStream } from './event-stream.ts';
import type { Transport } from './transport.ts';

/** Deleting traces, and how long they are kept. */
export type Purging = Calls<typeof purgingTable>;

/** @param baseUrl the address of the platform */
export function purging(transport: Transport, baseUrl: string): Purging {
  return bind(purgingTable, {
    transport,
    address: (path) => platformAddress(baseUrl, path),
    stream: (first: EventStream) => first,
  });
}
