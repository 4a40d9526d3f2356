import { z } from 'zod';
import { jsonOrUndefined } from '../../../process/json-or-undefined.ts';
import type { LogBook } from '../../runtimes/output/log-book.ts';
import type { Backend } from './forward-request.ts';

const ANSWER_TIMEOUT_MS = 5_000;
const Metrics = z.looseObject({
  queue: z.looseObject({ num_pending: z.number(), num_running: z.number() }),
});

/** A server's response: JSON, or that it has no such endpoint, or that it refuses to answer. */
type Answer = { readonly said: unknown } | 'no such thing' | 'not told';

/**
 * Whether a server may have runs in the background, or crons, and must not be stopped for being idle. A server that
 * does not respond, or refuses because it has its own authentication, may have some. A server without these endpoints
 * is not an agent server, and has none. @param log gets one line if a server refuses.
 */
export async function mayHaveUnfinishedWork(backend: Backend, log: LogBook): Promise<boolean> {
  const metrics = await ask(backend, log, 'GET', '/metrics?format=json');
  if (metrics === 'not told') return true;
  if (metrics !== 'no such thing') {
    const { data } = Metrics.safeParse(metrics.said);
    if (data !== undefined && data.queue.num_pending + data.queue.num_running > 0) return true;
  }
  const crons = await ask(backend, log, 'POST', '/runs/crons/search', { limit: 1 });
  if (crons === 'not told') return true;
  return crons !== 'no such thing' && Array.isArray(crons.said) && crons.said.length > 0;
}

const refusers = new WeakSet<Backend>();

async function ask(
  backend: Backend,
  log: LogBook,
  method: string,
  route: string,
  body?: object,
): Promise<Answer> {
  try {
    const response = await fetch(`http://127.0.0.1:${backend.port}${route}`, {
      method,
      headers: { 'content-type': 'application/json', 'x-api-key': backend.key },
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
      redirect: 'manual',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.ok) return { said: jsonOrUndefined(text) };
    if (response.status >= 500) return 'not told';
    if (response.status !== 401 && response.status !== 403) return 'no such thing';
    if (!refusers.has(backend)) {
      refusers.add(backend);
      const question = `${method} ${route.replace(/\?.*/, '')}`;
      log.write(
        'INFO',
        `The container answers ${question} with status ${response.status}, so whether it has work is not known, and it does not sleep.`,
      );
    }
    return 'not told';
  } catch {
    return 'not told';
  }
}
