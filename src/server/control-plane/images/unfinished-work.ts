import { z } from 'zod';
import type { Backend } from './forward-request.ts';

const ANSWER_TIMEOUT_MS = 5_000;
const Metrics = z.looseObject({
  queue: z.looseObject({ num_pending: z.number(), num_running: z.number() }),
});

/** Whether a server has runs that nobody waits for, or crons, and must not be stopped for being idle. */
export async function hasUnfinishedWork(backend: Backend): Promise<boolean> {
  const metrics = Metrics.safeParse(await ask(backend, 'GET', '/metrics?format=json'));
  if (metrics.success && metrics.data.queue.num_pending + metrics.data.queue.num_running > 0) return true;
  const crons = z
    .array(z.unknown())
    .safeParse(await ask(backend, 'POST', '/runs/crons/search', { limit: 1 }));
  return crons.success && crons.data.length > 0;
}

/** @returns undefined for anything but JSON and success. */
async function ask({ port, key }: Backend, method: string, route: string, body?: object): Promise<unknown> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${route}`, {
      method,
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
      redirect: 'manual',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  }
}
