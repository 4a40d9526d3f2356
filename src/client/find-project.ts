import type { Session } from '../contract/tracing/sessions.ts';
import type { Client } from './client.ts';
import type { CallOptions } from './transport.ts';

const ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/**
 * A project by its name or id.
 * @returns undefined when there is none with this name.
 * @throws RequestError 404 when there is none with this id.
 */
export async function findProject(
  { tracing }: Pick<Client, 'tracing'>,
  nameOrId: string,
  options: CallOptions = {},
): Promise<Session | undefined> {
  const found = await tracing.sessions.list({ query: { name: nameOrId, limit: 1 } }, options);
  const named = found.find(({ name }) => name === nameOrId);
  if (named !== undefined || !ID.test(nameOrId)) return named;
  return tracing.sessions.get({ params: { session_id: nameOrId.toLowerCase() } }, options);
}

/** The project whose newest trace is the latest of all; undefined when there is no project. */
export async function findLatestProject(
  { tracing }: Pick<Client, 'tracing'>,
  options: CallOptions = {},
): Promise<Session | undefined> {
  const query = { sort_by: 'last_run_start_time', sort_by_desc: true, limit: 1 } as const;
  return (await tracing.sessions.list({ query }, options))[0];
}
