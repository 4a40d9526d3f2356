import type { Client } from './client.ts';
import { RequestError } from './request-error.ts';
import { isAnswer } from './retry.ts';
import type { CallOptions } from './transport.ts';

type TracingClient = Pick<Client, 'tracing'>;

/** The answers so far. Each connection has one client, so each platform is asked once. */
const answers = new WeakMap<TracingClient, Promise<boolean>>();

/**
 * Whether a platform is an Agent Harbor server, on this machine or of a team. Only these support `dry_run`, `before` and
 * jobs for purges; other platforms would delete immediately instead of previewing. The answer is kept, unless the
 * platform could not be reached.
 * @throws RequestError when the platform cannot be reached; the signal's reason when aborted.
 */
export async function isHarbor(client: TracingClient, { signal }: CallOptions = {}): Promise<boolean> {
  signal?.throwIfAborted();
  const asked = answers.get(client) ?? ask(client);
  answers.set(client, asked);
  // The caller gets the error, and the next one tries again.
  asked.catch(() => answers.delete(client));
  return signal === undefined ? asked : untilAborted(asked, signal);
}

/**
 * Asks a platform. Takes no signal, because the first caller's abort must not abort the request for the
 * others.
 */
async function ask({ tracing }: TracingClient): Promise<boolean> {
  try {
    return (await tracing.info.info({}, { retries: 0 })).harbor_version !== undefined;
  } catch (error) {
    const isAnotherPlatform =
      error instanceof RequestError && (isAnswer(error) || error.problem === 'unreadable');
    if (isAnotherPlatform) return false;
    throw error;
  }
}

/** As `untilAborted` in `src/process`, which the client does not import. */
async function untilAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([result, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
