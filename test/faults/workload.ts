import { createParser } from 'eventsource-parser';
import { z } from 'zod';
import type { Journal, JournaledRun } from './journal.ts';

const WORKERS = 4;

/** Clients that use a server until it stops answering, and record the data that it acknowledged. */
export async function work(url: string, journal: Journal, stop: AbortSignal): Promise<void> {
  const workers = Array.from({ length: WORKERS }, async (_, worker) => {
    for (let round = 0; !stop.aborted; round++) {
      try {
        await oneRound(url, journal, `${worker}-${round}-${crypto.randomUUID()}`, stop);
      } catch {
        // The server died as intended; unacknowledged data does not count.
        return;
      }
    }
  });
  await Promise.all(workers);
}

async function oneRound(url: string, journal: Journal, key: string, stop: AbortSignal): Promise<void> {
  const { thread_id } = await call(url, 'POST', '/threads', {}, Thread, stop);
  journal.threads.push(thread_id);
  const value = journal.items.size;
  await call(url, 'PUT', '/store/items', { namespace: ['faults'], key, value: { value } }, Nothing, stop);
  journal.items.set(key, value);
  const { assistant_id } = await call(url, 'POST', '/assistants', { graph_id: 'ten_nodes' }, Assistant, stop);
  journal.assistants.push(assistant_id);
  const body = { assistant_id, input: { value: 0 }, stream_mode: ['updates'], stream_resumable: true };
  const { run_id } = await call(url, 'POST', `/threads/${thread_id}/runs`, body, Run, stop);
  const run: JournaledRun = { runId: run_id, threadId: thread_id, seen: [] };
  journal.runs.push(run);
  await follow(url, run, stop);
}

/** Reads a run's stream from after what was already seen, to its end. */
export async function follow(url: string, run: JournaledRun, stop: AbortSignal): Promise<void> {
  const last = run.seen.at(-1)?.id ?? -1;
  const response = await fetch(`${url}/threads/${run.threadId}/runs/${run.runId}/stream`, {
    headers: { 'last-event-id': String(last) },
    signal: stop,
  });
  if (!response.ok || response.body === null) throw new Error(`stream: ${response.status}`);
  const parser = createParser({
    onEvent: ({ id, event = '', data }) => run.seen.push({ id: Number(id), event, data }),
  });
  const decoder = new TextDecoder();
  for await (const chunk of response.body) parser.feed(decoder.decode(chunk, { stream: true }));
}

export async function call<Schema extends z.ZodType>(
  url: string,
  method: string,
  route: string,
  body: object | undefined,
  schema: Schema,
  signal?: AbortSignal,
): Promise<z.output<Schema>> {
  const response = await fetch(`${url}${route}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${text}`);
  return schema.parse(text === '' ? undefined : JSON.parse(text));
}

export const Thread = z.looseObject({ thread_id: z.string(), status: z.string(), values: z.unknown() });
export const Assistant = z.looseObject({ assistant_id: z.string() });
export const Run = z.looseObject({
  run_id: z.string(),
  thread_id: z.string().nullable(),
  status: z.string(),
});
export const Item = z.looseObject({ value: z.looseObject({ value: z.number() }) }).nullable();
const Nothing = z.undefined();
