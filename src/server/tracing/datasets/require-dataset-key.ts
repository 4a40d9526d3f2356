import { notFound } from '../../http/errors.ts';
import type { TracesDatabase } from '../database/traces-database.ts';

/** Finds the key of a dataset. @throws HttpError 404 */
export function requireDatasetKey(db: TracesDatabase, workspace: number, id: string): number {
  const row = db.statement('SELECT key FROM datasets WHERE workspace = ? AND id = ?').get(workspace, id);
  if (row === undefined) throw notFound('Dataset', id);
  return Number(row.key);
}
