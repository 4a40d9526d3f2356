import type { Selectable } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { Session, SessionCreate, SessionUpdate } from '../../../contract/tracing/sessions.ts';
import { conflict } from '../../http/errors.ts';
import type { WriterContext } from '../context/writer-context.ts';
import { nowMicros, parseBodyTime } from '../database/time.ts';
import type { SessionTable } from '../database/traces-schema.ts';
import { requireSessionRow, sessionOf } from './read-sessions.ts';
import { ensureWorkspaceKey } from './workspace-keys.ts';

/**
 * Creates a project. With `upsert`, an existing project with the name or the ID is updated instead; it keeps what is
 * not given.
 * @throws HttpError 409 for an existing name or ID without `upsert`.
 */
export function createSession(
  { db, caches }: WriterContext,
  request: { workspaceId: string; upsert: boolean; session: SessionCreate },
): Session {
  const { session } = request;
  const workspace = ensureWorkspaceKey(db, caches, request.workspaceId);
  const existing = db.get(
    db.build
      .selectFrom('sessions')
      .selectAll()
      .where('workspace', '=', workspace)
      .where((on) => on.or([on('name', '=', session.name), on('id', '=', session.id ?? '')])),
  );
  if (existing !== undefined) {
    if (!request.upsert)
      throw conflict(`Project '${session.name}' already exists. Use upsert=true to update it.`);
    const { default_dataset_id, reference_dataset_id, trace_tier } = session;
    // LangSmith's JavaScript client sends {} where its caller gives no metadata.
    const extra = Object.keys(session.extra ?? {}).length === 0 ? null : session.extra;
    const values = {
      ...statedColumns({ ...session, extra }, existing),
      default_dataset_id: default_dataset_id ?? existing.default_dataset_id,
      reference_dataset_id: reference_dataset_id ?? existing.reference_dataset_id,
      trace_tier: trace_tier ?? existing.trace_tier,
    };
    db.run(db.build.updateTable('sessions').set(values).where('key', '=', existing.key));
    caches.sessions.clear();
    return sessionOf({ ...existing, ...values }, request.workspaceId);
  }
  const row = {
    ...statedColumns(session, { description: null, extra: null, end_time: null }),
    default_dataset_id: session.default_dataset_id ?? null,
    reference_dataset_id: session.reference_dataset_id ?? null,
    trace_tier: session.trace_tier ?? null,
    workspace,
    id: session.id ?? uuidv7(),
    name: session.name,
    start_time: parseBodyTime(session.start_time, 'start_time') ?? nowMicros(),
    last_run_start_time: null,
  };
  const { key } = db.insert(db.build.insertInto('sessions').values(row).returning('key'));
  return sessionOf({ ...row, key }, request.workspaceId);
}

/**
 * Changes the given fields of a project. Null clears its default dataset and its tier.
 * @throws HttpError 404, or 409 for an existing name.
 */
export function updateSession(
  { db, caches }: WriterContext,
  request: { workspaceId: string; sessionId: string; changes: SessionUpdate },
): Session {
  const { changes } = request;
  const workspace = ensureWorkspaceKey(db, caches, request.workspaceId);
  const row = requireSessionRow(db, workspace, request.sessionId);
  const name = changes.name ?? row.name;
  if (name !== row.name) {
    const taken = db
      .statement('SELECT 1 FROM sessions WHERE workspace = ? AND name = ?')
      .get(workspace, name);
    if (taken !== undefined) throw conflict(`Project '${name}' already exists.`);
  }
  const updated = {
    ...row,
    name,
    ...statedColumns(changes, row),
    default_dataset_id:
      changes.default_dataset_id === undefined ? row.default_dataset_id : changes.default_dataset_id,
    trace_tier: changes.trace_tier === undefined ? row.trace_tier : changes.trace_tier,
  };
  const { key, ...columns } = updated;
  db.run(db.build.updateTable('sessions').set(columns).where('key', '=', key));
  caches.sessions.clear();
  return sessionOf(updated, request.workspaceId);
}

/**
 * The fields for which the LangSmith clients send null when their caller leaves them out. Null therefore keeps what is
 * stored.
 */
function statedColumns(
  given: Pick<SessionCreate, 'description' | 'extra' | 'end_time'>,
  stored: Pick<Selectable<SessionTable>, 'description' | 'extra' | 'end_time'>,
) {
  const { description, extra, end_time } = given;
  return {
    description: description ?? stored.description,
    extra: extra === null || extra === undefined ? stored.extra : JSON.stringify(extra),
    end_time: parseBodyTime(end_time, 'end_time') ?? stored.end_time,
  };
}
