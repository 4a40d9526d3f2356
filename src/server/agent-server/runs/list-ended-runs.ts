import type { StateDatabase } from '../../storage/state-database.ts';
import type { RunRow } from '../data/run-store.ts';

/** The number of IDs per query. */
const SLICE = 500;

/** Finds out which of some runs of a deployment have ended, and on which servers. */
export async function listEndedRuns(
  db: Pick<StateDatabase, 'selectFrom'>,
  deploymentId: string,
  runIds: readonly string[],
): Promise<Pick<RunRow, 'run_id' | 'lease_owner'>[]> {
  const ended: Pick<RunRow, 'run_id' | 'lease_owner'>[] = [];
  for (let at = 0; at < runIds.length; at += SLICE) {
    const rows = await db
      .selectFrom('runs')
      .select(['run_id', 'lease_owner'])
      .where('run_id', 'in', runIds.slice(at, at + SLICE))
      .where('deployment_id', '=', deploymentId)
      .where('ended_at', 'is not', null)
      .execute();
    ended.push(...rows);
  }
  return ended;
}
