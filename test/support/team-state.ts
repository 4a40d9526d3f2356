import {
  openPostgresState,
  type PostgresState,
  type PostgresStateOptions,
} from '../../src/server/team/postgres/postgres-state.ts';
import { serverBundles } from './server-bundles.ts';

/** Opens the state in a team's database, as one of its servers. */
export async function openTeamState(url: string, options?: PostgresStateOptions): Promise<PostgresState> {
  return openPostgresState(url, (await serverBundles()).heartbeat, options);
}
