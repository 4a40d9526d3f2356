import { v7 as uuidv7 } from 'uuid';
import type { IngestCaches, KnownSession } from '../context/ingest-caches.ts';
import { nowMicros } from '../database/time.ts';
import type { TracesDatabase } from '../database/traces-database.ts';
import { RunRefused } from '../runs/refusal.ts';

export const DEFAULT_PROJECT = 'default';

/**
 * The condition for deleted projects whose traces have not been purged yet. A deleted project belongs to workspace 0,
 * which does not exist.
 */
export const IS_DELETED = 'workspace = 0';

/**
 * Finds the project of a run: by name (created if it is new), by ID, or `default` when neither is given.
 * @throws RunRefused when name and ID disagree, or the ID is unknown.
 */
export function resolveSession(
  db: TracesDatabase,
  caches: IngestCaches,
  workspace: number,
  given: { id: string | undefined; name: string | undefined },
): KnownSession {
  if (given.id === undefined) return ensureSession(db, caches, workspace, given.name ?? DEFAULT_PROJECT);
  const session = sessionById(db, caches, workspace, given.id);
  if (session === undefined)
    throw new RunRefused(`session_id ${given.id} is not a project of this workspace`);
  if (given.name !== undefined && given.name !== session.name) {
    throw new RunRefused(
      `session_name '${given.name}' and session_id ${given.id} (project '${session.name}') do not match: send only one of them`,
    );
  }
  return session;
}

/** Finds the project with a name, or creates it. */
export function ensureSession(
  db: TracesDatabase,
  caches: IngestCaches,
  workspace: number,
  name: string,
): KnownSession {
  const cacheKey = `${workspace}\0name\0${name}`;
  const cached = caches.sessions.get(cacheKey);
  if (cached !== undefined) return cached;
  const row =
    db
      .statement('SELECT key, id, name, trace_tier FROM sessions WHERE workspace = ? AND name = ?')
      .get(workspace, name) ??
    db
      .statement(
        'INSERT INTO sessions (workspace, id, name, start_time) VALUES (?, ?, ?, ?) RETURNING key, id, name, trace_tier',
      )
      .get(workspace, uuidv7(), name, nowMicros());
  if (row === undefined) throw new Error(`Project ${name} was not stored.`);
  const session = toKnown(row);
  caches.sessions.set(cacheKey, session);
  return session;
}

function sessionById(
  db: TracesDatabase,
  caches: IngestCaches,
  workspace: number,
  id: string,
): KnownSession | undefined {
  const cacheKey = `${workspace}\0id\0${id}`;
  const cached = caches.sessions.get(cacheKey);
  if (cached !== undefined) return cached;
  const row = db
    .statement('SELECT key, id, name, trace_tier FROM sessions WHERE workspace = ? AND id = ?')
    .get(workspace, id);
  if (row === undefined) return undefined;
  const session = toKnown(row);
  caches.sessions.set(cacheKey, session);
  return session;
}

function toKnown({ key, id, name, trace_tier: tier }: Record<string, unknown>): KnownSession {
  return {
    key: Number(key),
    id: String(id),
    name: String(name),
    tier: tier === 'longlived' || tier === 'shortlived' ? tier : null,
  };
}
