import type { IngestCaches } from '../context/ingest-caches.ts';
import type { TracesDatabase } from '../database/traces-database.ts';

/** Returns the integer that stands for a workspace in every row. A new workspace gets one. */
export function ensureWorkspaceKey(db: TracesDatabase, caches: IngestCaches, id: string): number {
  const known = caches.workspaces.get(id);
  if (known !== undefined) return known;
  const row =
    db.statement('SELECT key FROM workspaces WHERE id = ?').get(id) ??
    db.statement('INSERT INTO workspaces (id) VALUES (?) RETURNING key').get(id);
  if (row === undefined) throw new Error(`Workspace ${id} was not stored.`);
  const key = Number(row.key);
  caches.workspaces.set(id, key);
  return key;
}

/** The integer that stands for a workspace without rows: no row has it. */
export const NO_WORKSPACE = -1;

/** Finds the integer of a workspace; `NO_WORKSPACE` if the workspace has not stored anything yet. */
export function findWorkspaceKeyOrNone(db: TracesDatabase, id: string): number {
  return findWorkspaceKey(db, id) ?? NO_WORKSPACE;
}

/** Finds the integer of a workspace; undefined if the workspace has not stored anything yet. */
export function findWorkspaceKey(db: TracesDatabase, id: string): number | undefined {
  const row = db.statement('SELECT key FROM workspaces WHERE id = ?').get(id);
  return row === undefined ? undefined : Number(row.key);
}
