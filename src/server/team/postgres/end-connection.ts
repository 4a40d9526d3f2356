import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';

const CLOSE_MS = 1_000;

/** Says that a connection ends; one that is cut off never answers. */
export async function endConnection(client: Client): Promise<void> {
  const over = new AbortController();
  await Promise.race([
    client.end().catch(() => {}),
    sleep(CLOSE_MS, undefined, { signal: over.signal }).catch(() => {}),
  ]);
  over.abort();
  client.connection.stream.destroy();
}
