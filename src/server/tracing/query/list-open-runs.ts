import type { ReaderContext } from '../context/reader-context.ts';
import { nowMicros } from '../database/time.ts';
import { HAS_ATTEMPT, LOOK_BACK_MICROS } from '../runs/attempts.ts';
import { findWorkspaceKey } from '../sessions/workspace-keys.ts';

const OPEN_RUNS = `SELECT runs.id FROM runs JOIN sessions ON sessions.key = runs.session
  WHERE sessions.workspace = ? AND runs.parent_id IS NULL AND runs.status = 'pending'
  AND runs.start_time > ? AND ${HAS_ATTEMPT}`;

/** Lists the runs of agent servers whose traces have not ended, regardless of the projects that the runs named. */
export function listOpenRuns(
  { db }: Pick<ReaderContext, 'db'>,
  { workspaceId }: { workspaceId: string },
): readonly string[] {
  const workspace = findWorkspaceKey(db, workspaceId);
  if (workspace === undefined) return [];
  return db
    .statement(OPEN_RUNS)
    .all(workspace, nowMicros() - LOOK_BACK_MICROS)
    .map(({ id }) => String(id));
}
