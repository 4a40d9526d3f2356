import { z } from 'zod';
import { jsonOrUndefined } from '../../../process/json-or-undefined.ts';
import type { LogBook } from '../../runtimes/output/log-book.ts';
import type { Backend } from './forward-request.ts';

const ANSWER_TIMEOUT_MS = 5_000;
const Metrics = z.looseObject({
  queue: z.looseObject({ num_pending: z.number(), num_running: z.number() }),
});

/**
 * The response of an endpoint: its JSON, `unknown` if it failed or requires credentials, or `no endpoint` for
 * any other status, such as 404.
 */
type Answer = { readonly json: unknown } | 'no endpoint' | 'unknown';

/**
 * Whether a container's server may have runs in the background or crons, so that it must not sleep. This is
 * also the case if it does not respond, or refuses because it has its own authentication. A server without
 * these endpoints is not an agent server, and has no such work.
 * @param log gets one line if the server refuses.
 */
export async function mayHaveUnfinishedWork(backend: Backend, log: LogBook): Promise<boolean> {
  const metrics = await ask(backend, log, 'GET', '/metrics?format=json');
  if (metrics === 'unknown') return true;
  if (metrics !== 'no endpoint') {
    const { data } = Metrics.safeParse(metrics.json);
    if (data !== undefined && data.queue.num_pending + data.queue.num_running > 0) return true;
  }
  const crons = await ask(backend, log, 'POST', '/runs/crons/search', { limit: 1 });
  if (crons === 'unknown') return true;
  return crons !== 'no endpoint' && Array.isArray(crons.json) && crons.json.length > 0;
}

/** The servers whose refusal is already in the log. */
const refusers = new WeakSet<Backend>();

/** Sends a request to a container's server. Never rejects. @param log gets a line if the server refuses. */
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
    if (response.ok) return { json: jsonOrUndefined(text) };
    if (response.status >= 500) return 'unknown';
    if (response.status !== 401 && response.status !== 403) return 'no endpoint';
    if (!refusers.has(backend)) {
      refusers.add(backend);
      const question = `${method} ${route.replace(/\?.*/, '')}`;
      log.write(
        'INFO',
        `The container never sleeps, because it answers ${question} with status ${response.status}, which does not show whether it has work.`,
      );
    }
    return 'unknown';
  } catch {
    return 'unknown';
  }
}
