import type { Client } from 'pg';
import { pause } from '../../../process/pause.ts';
import { settled } from '../../../process/settled.ts';

const CLOSE_MS = 1_000;

/** Ends a connection, without waiting long for an answer, because one that is cut off never answers. */
export async function endConnection(client: Client): Promise<void> {
  const over = new AbortController();
  await Promise.race([settled(client.end()), pause(CLOSE_MS, { signal: over.signal })]);
  over.abort();
  client.connection.stream.destroy();
}
