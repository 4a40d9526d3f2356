import type { StateDatabase } from '../../storage/state-database.ts';
import type { RunRow } from './run-store.ts';

/** How many IDs are asked for at once. */
const SLICE = 500;

/** Those of some runs that have ended, and on which server. A run may name the project of another deployment for its trace. */
export async function listEndedRuns(
  db: Pick<StateDatabase, 'selectFrom'>,
  runIds: readonly string[],
): Promise<Pick<RunRow, 'run_id' | 'lease_owner'>[]> {
  const ended: Pick<RunRow, 'run_id' | 'lease_owner'>[] = [];
  for (let at = 0; at < runIds.length; at += SLICE) {
    const rows = await db
      .selectFrom('runs')
      .select(['run_id', 'lease_owner'])
      .where('run_id', 'in', runIds.slice(at, at + SLICE))
      .where('ended_at', 'is not', null)
      .execute();
    ended.push(...rows);
  }
  return ended;
}
