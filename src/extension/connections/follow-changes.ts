import { setTimeout as sleep } from 'node:timers/promises';
import { readChanges } from '../../client/changes.ts';
import type { Client } from '../../client/client.ts';
import { isHarbor } from '../../client/is-harbor.ts';
import { RequestError } from '../../client/request-error.ts';
import type { Change } from '../../contract/harbor.ts';

/** Pause before a platform is connected to again, in ms. */
const PAUSE_MS = 5_000;

/**
 * Hears what changes on a platform elsewhere until the signal is aborted. Only Agent Harbor servers say so; views ask
 * all others from time to time.
 */
export async function followChanges(
  client: Client,
  { signal, onChanges }: { signal: AbortSignal; onChanges: (changes: readonly Change[]) => void },
): Promise<void> {
  while (!signal.aborted) {
    try {
      if (!(await isHarbor(client, { signal }))) return;
      const stream = await client.harbor.changes({ query: { client: 'vscode' } }, { signal, retries: 0 });
      for await (const changes of readChanges(stream)) onChanges(changes);
    } catch (error) {
      // An earlier version has no such stream for clients elsewhere.
      if (signal.aborted || (error instanceof RequestError && error.problem === 'status')) return;
    }
    await sleep(PAUSE_MS, undefined, { signal, ref: false }).catch(() => {});
  }
}
