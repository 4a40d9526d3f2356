import type { Session } from '../contract/tracing/sessions.ts';
import type { Client } from './client.ts';
import { isUuid } from './is-uuid.ts';
import type { CallOptions } from './transport.ts';

/**
 * Finds a tracing project by its name or ID; names are tried first.
 * @returns undefined when there is none with this name.
 * @throws RequestError 404 when there is none with this ID.
 */
export async function findProject(
  { tracing }: Pick<Client, 'tracing'>,
  nameOrId: string,
  options: CallOptions = {},
): Promise<Session | undefined> {
  const found = await tracing.sessions.list({ query: { name: nameOrId, limit: 1 } }, options);
  const named = found.find(({ name }) => name === nameOrId);
  if (named !== undefined || !isUuid(nameOrId)) return named;
  return tracing.sessions.get({ params: { session_id: nameOrId.toLowerCase() } }, options);
}

/** The project with the latest trace; undefined when there is no project. */
export async function findLatestProject(
  { tracing }: Pick<Client, 'tracing'>,
  options: CallOptions = {},
): Promise<Session | undefined> {
  const query = { sort_by: 'last_run_start_time', sort_by_desc: true, limit: 1 } as const;
  return (await tracing.sessions.list({ query }, options))[0];
}
