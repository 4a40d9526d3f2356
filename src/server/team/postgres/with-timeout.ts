import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { ResponseTimeoutError } from './response-timeouts.ts';

/**
 * Waits for an answer for a limited time in milliseconds. An answer that arrived while this process was not
 * running counts.
 * @throws ResponseTimeoutError
 */
export async function withTimeout<Answer>(answer: Promise<Answer>, limitMs: number): Promise<Answer> {
  const over = new AbortController();
  const late = async () => {
    await sleep(limitMs, undefined, { signal: over.signal });
    await turn();
    throw new ResponseTimeoutError();
  };
  try {
    return await Promise.race([answer, late()]);
  } finally {
    over.abort();
  }
}
