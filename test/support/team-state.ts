import type { Migration } from 'kysely';
import { openPostgresState, type PostgresState } from '../../src/server/storage/postgres/postgres-state.ts';

export const heartbeatUrl = new URL('../../src/server/storage/postgres/heartbeat/main.ts', import.meta.url);

/**
 * Opens the state of a team's database, as one of its servers.
 * @param known the migrations of another version.
 */
export function openTeamState(
  url: string,
  known?: Readonly<Record<string, Migration>>,
): Promise<PostgresState> {
  return openPostgresState(url, heartbeatUrl, known);
}
