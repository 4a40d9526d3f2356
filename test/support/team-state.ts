import {
  openPostgresState,
  type PostgresState,
  type PostgresStateOptions,
} from '../../src/server/storage/postgres/postgres-state.ts';

export const heartbeatUrl = new URL('../../src/server/storage/postgres/heartbeat/main.ts', import.meta.url);

/** Opens the state of a team's database, as one of its servers. */
export function openTeamState(url: string, options?: PostgresStateOptions): Promise<PostgresState> {
  return openPostgresState(url, heartbeatUrl, options);
}
