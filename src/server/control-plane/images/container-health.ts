import { setTimeout as delay } from 'node:timers/promises';

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 1_000;
const ANSWER_TIMEOUT_MS = 5_000;

/**
 * Polls a container's server until it is healthy.
 * @param port the server's port on 127.0.0.1.
 * @returns undefined when it is healthy; after `timeoutMs`, a clause about its last response.
 * @throws the signal's reason when aborted.
 */
export async function waitUntilHealthy(
  port: number,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const end = performance.now() + timeoutMs;
  let pauseMs = FIRST_PAUSE_MS;
  for (;;) {
    const status = await statusOf(`http://127.0.0.1:${port}/ok`, signal);
    signal.throwIfAborted();
    if (status === 200) return undefined;
    if (performance.now() >= end) {
      return status === undefined ? 'there is no response' : `the response has status ${status}`;
    }
    await delay(pauseMs, undefined, { signal });
    pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 1.5);
  }
}

/** The status of a response; undefined if there is none in time. */
async function statusOf(url: string, signal: AbortSignal): Promise<number | undefined> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]);
    const response = await fetch(url, { signal: limit, redirect: 'manual' });
    await response.body?.cancel();
    return response.status;
  } catch {
    return undefined;
  }
}
