import { setTimeout as sleep } from 'node:timers/promises';

/** The trace of a run is written a little after its stream has ended. */
const PAUSES_MS = [100, 200, 400, 800, 1_600];

/**
 * Retries a read until a new trace has arrived.
 * @returns `undefined` when it does not arrive within about three seconds
 */
export async function onceTraced<T>(
  read: () => Promise<T | undefined>,
  signal: AbortSignal,
): Promise<T | undefined> {
  for (const pause of PAUSES_MS) {
    const found = await read();
    if (found !== undefined) return found;
    await sleep(pause, undefined, { signal });
  }
  return read();
}
