import type { Selectable } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { AuditEntry, PurgeCounts, PurgeJob, PurgeRequest, PurgeSample } from '../../contract/purging.ts';
import { invalid, notFound } from '../http/errors.ts';
import type { ReaderContext } from '../tracing/context/reader-context.ts';
import type { WriterContext } from '../tracing/context/writer-context.ts';
import type { PurgeFilter, PurgeJobTable, QueuedPurge } from '../tracing/database/purge-schema.ts';
import { formatTime, formatTimeOrNull, nowMicros } from '../tracing/database/time.ts';
import { ensureWorkspaceKey, findWorkspaceKeyOrNone } from '../tracing/sessions/workspace-keys.ts';
import { countMatching, readSample, readThreads } from './match-traces.ts';
import { windowOpens } from './purge-window.ts';
import { waitingInProject } from './waiting-pieces.ts';
import { addWaitingTargets } from './waiting-targets.ts';

/** The maximum number of sample traces in a dry run. */
const MAX_SAMPLES = 5;
/** The maximum number of threads in a dry run, because a search for threads returns no more. */
const MAX_THREADS = 1000;

/** How many purges have not ended. */
export interface UnfinishedPurges {
  readonly count: number;
  /** When the oldest of them was requested, in milliseconds since 1970; undefined without any. */
  readonly oldestSinceMs: number | undefined;
}

/** Counts the unfinished purges of all workspaces. */
export function readUnfinished({ db }: ReaderContext): UnfinishedPurges {
  const row = db
    .statement(
      "SELECT count(*) AS count, min(created_at) AS oldest FROM purge_jobs WHERE step NOT IN ('verified', 'failed')",
    )
    .get();
  const oldest = row?.oldest;
  return {
    count: Number(row?.count ?? 0),
    oldestSinceMs: oldest === null || oldest === undefined ? undefined : Number(oldest) / 1_000,
  };
}

/**
 * Adds a purge, to be carried out in the purge window.
 * @throws HttpError 404 for a missing project, 422 for a request that does not say what to delete.
 */
export function requestPurge(
  context: WriterContext,
  request: { workspaceId: string; by: string | null; purge: PurgeRequest },
): { jobId: string } {
  const { db, caches } = context;
  const workspace = ensureWorkspaceKey(db, caches, request.workspaceId);
  const filter = filterOf(request.purge);
  requireProject(db, workspace, filter);
  const kind = filter.trace_ids ? 'traces' : filter.metadata ? 'metadata' : 'before';
  return { jobId: addJob(context, { workspace, kind, filter, by: request.by }) };
}

/** Hides projects immediately, and purges everything in them. @throws HttpError 404 */
export function purgeSessions(
  context: WriterContext,
  request: { workspaceId: string; by: string | null; sessionIds: readonly string[] },
): { jobIds: string[] } {
  const { db, caches } = context;
  const workspace = ensureWorkspaceKey(db, caches, request.workspaceId);
  const jobIds = request.sessionIds.map((id) => {
    const session = db
      .statement('SELECT key, name FROM sessions WHERE workspace = ? AND id = ?')
      .get(workspace, id);
    if (session === undefined) throw notFound('Project', id);
    const key = Number(session.key);
    // Waiting data refers to the project by ID or name, which are removed when the project is hidden.
    const waiting = waitingInProject(db, workspace, { id, name: String(session.name) });
    // No workspace has the key 0, so rows that belong to it are invisible. If a project with the same ID is created
    // again and deleted, that one is hidden in the same way.
    const hidden = uuidv7();
    db.statement(
      'UPDATE sessions SET workspace = 0, id = ?, name = ?, description = NULL, extra = NULL WHERE key = ?',
    ).run(hidden, hidden, key);
    db.statement('DELETE FROM feedback WHERE session_id = ? AND workspace = ? AND run_id IS NULL').run(
      id,
      workspace,
    );
    const job = addJob(context, { workspace, kind: 'project', filter: { session: key }, by: request.by });
    const matched = addWaitingTargets(db, { job, workspace }, waiting);
    db.statement('UPDATE purge_jobs SET matched = ? WHERE id = ?').run(matched, job);
    return job;
  });
  caches.sessions.clear();
  return { jobIds };
}

/**
 * Purges everything of a closed workspace. The job is recorded in another workspace, where it can be
 * followed. Idempotent.
 */
export function purgeWorkspace(
  context: WriterContext,
  request: { workspaceId: string; recordIn: string; by: string | null },
): { jobId: string } {
  const { db, caches } = context;
  const workspace = ensureWorkspaceKey(db, caches, request.recordIn);
  const filter = { workspace_id: request.workspaceId };
  const known = db
    .statement(`SELECT id FROM purge_jobs WHERE workspace = ? AND kind = 'workspace' AND filter = ?`)
    .get(workspace, JSON.stringify(filter));
  if (known !== undefined) return { jobId: String(known.id) };
  return { jobId: addJob(context, { workspace, kind: 'workspace', filter, by: request.by, atOnce: true }) };
}

/** Adds a purge job, and wakes the purger. @returns the ID of the job */
export function addJob(context: WriterContext, job: QueuedPurge): string {
  const { db } = context;
  const id = uuidv7();
  const row = {
    id,
    workspace: job.workspace,
    kind: job.kind,
    filter: JSON.stringify(job.filter),
    step: 'pending' as const,
    matched: job.examples ?? 0,
    matched_runs: 0,
    deleted: job.examples ?? 0,
    deleted_runs: 0,
    requested_by: job.by,
    created_at: nowMicros(),
    not_before: job.atOnce ? nowMicros() : windowOpens(context.db, job.workspace),
    started_at: null,
    finished_at: null,
    error: null,
  };
  db.run(db.build.insertInto('purge_jobs').values(row));
  context.audit(row, 'requested', {});
  context.wakePurger();
  context.notify(job.workspace, [{ resource: 'job', action: 'created', id }]);
  return id;
}

function requireProject(db: ReaderContext['db'], workspace: number, { session_id }: PurgeFilter): void {
  if (session_id === undefined) return;
  const session = db
    .statement('SELECT 1 FROM sessions WHERE workspace = ? AND id = ?')
    .get(workspace, session_id);
  if (session === undefined) throw notFound('Project', session_id);
}

/**
 * Counts what a purge would delete, with samples and threads.
 * @throws HttpError 404, 422 as `requestPurge` does
 */
export function previewPurge(
  { db }: ReaderContext,
  request: { workspaceId: string; purge: PurgeRequest },
): { would_delete: PurgeCounts; samples: PurgeSample[]; thread_ids: string[] } {
  const workspace = findWorkspaceKeyOrNone(db, request.workspaceId);
  const filter = filterOf(request.purge);
  requireProject(db, workspace, filter);
  return {
    would_delete: countMatching(db, workspace, filter),
    samples: readSample(db, workspace, filter, MAX_SAMPLES),
    thread_ids: readThreads(db, workspace, filter, MAX_THREADS),
  };
}

/** The purge jobs of a workspace, newest first. `active` jobs are neither verified nor failed. */
export function listJobs(
  { db }: ReaderContext,
  request: { workspaceId: string; limit: number; offset: number; active?: boolean | undefined },
): PurgeJob[] {
  let jobs = db.build
    .selectFrom('purge_jobs')
    .selectAll()
    .where('workspace', '=', findWorkspaceKeyOrNone(db, request.workspaceId));
  if (request.active === true) jobs = jobs.where('step', 'not in', ['verified', 'failed']);
  if (request.active === false) jobs = jobs.where('step', 'in', ['verified', 'failed']);
  return db
    .all(jobs.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(request.limit).offset(request.offset))
    .map(jobOf);
}

/** Reads a purge job of a workspace. @throws HttpError 404 */
export function getJob({ db }: ReaderContext, request: { workspaceId: string; jobId: string }): PurgeJob {
  const row = db.get(
    db.build
      .selectFrom('purge_jobs')
      .selectAll()
      .where('workspace', '=', findWorkspaceKeyOrNone(db, request.workspaceId))
      .where('id', '=', request.jobId),
  );
  if (row === undefined) throw notFound('Purge job', request.jobId);
  return jobOf(row);
}

/** The audit log of a workspace, newest first: who, when, filter and counts, never content. */
export function readAudit(
  { db }: ReaderContext,
  request: { workspaceId: string; limit: number; offset: number },
): AuditEntry[] {
  return db
    .all(
      db.build
        .selectFrom('purge_audit')
        .selectAll()
        .where('workspace', '=', findWorkspaceKeyOrNone(db, request.workspaceId))
        .orderBy('id', 'desc')
        .limit(request.limit)
        .offset(request.offset),
    )
    .map((row) => ({
      id: row.id,
      at: formatTime(row.at),
      job_id: row.job_id,
      event: row.event,
      by: row.requested_by,
      filter: JSON.parse(row.filter),
      counts: JSON.parse(row.counts),
    }));
}

/** The filter of a request. @throws HttpError 422 if it does not say what to delete */
function filterOf(purge: PurgeRequest): PurgeFilter {
  const { session_id, trace_ids, metadata, before, start_time } = purge;
  const hasIds = trace_ids != null && trace_ids.length > 0;
  const hasMetadata = metadata != null && Object.keys(metadata).length > 0;
  if (!hasIds && !hasMetadata && !before) {
    throw invalid(
      ['body'],
      'Specify what to delete: trace_ids with session_id, metadata, or before (a time).',
      'missing',
    );
  }
  // An empty filter selects nothing. Without it, `before` alone would delete all earlier traces.
  const empty = (['trace_ids', 'metadata'] as const).find((name) => purge[name] != null);
  if (!hasIds && !hasMetadata && empty !== undefined)
    throw invalid(
      ['body', empty],
      `${empty} is empty. Fill it, or leave it out to delete all traces before a time.`,
    );
  if (hasIds && !session_id)
    throw invalid(['body', 'session_id'], 'session_id is required: the project of the traces.', 'missing');
  if (hasIds && hasMetadata) throw invalid(['body'], 'Send trace_ids or metadata, not both.');
  return {
    ...(session_id ? { session_id } : {}),
    ...(hasIds ? { trace_ids } : {}),
    ...(hasMetadata ? { metadata } : {}),
    ...(before ? { before } : {}),
    ...(start_time ? { start_time } : {}),
    ...(purge.delete_examples ? { delete_examples: true } : {}),
  };
}

function jobOf(row: Selectable<PurgeJobTable>): PurgeJob {
  return {
    id: row.id,
    kind: row.kind,
    filter: JSON.parse(row.filter),
    status: row.step === 'verified' || row.step === 'failed' || row.step === 'pending' ? row.step : 'running',
    step: row.step,
    matched: row.matched,
    deleted: row.deleted,
    remaining: row.matched - row.deleted,
    matched_runs: row.matched_runs,
    deleted_runs: row.deleted_runs,
    requested_by: row.requested_by,
    created_at: formatTime(row.created_at),
    not_before: formatTime(row.not_before),
    started_at: formatTimeOrNull(row.started_at),
    finished_at: formatTimeOrNull(row.finished_at),
    error: row.error,
  };
}
