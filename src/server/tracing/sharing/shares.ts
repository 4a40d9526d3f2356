import { v4 as uuidv4 } from 'uuid';
import type { DatasetShare, RunShare } from '../../../contract/tracing/sharing.ts';
import { conflict, HttpError, notFound } from '../../http/errors.ts';
import type { ReaderContext } from '../context/reader-context.ts';
import type { WriterContext } from '../context/writer-context.ts';
import { nowMicros } from '../database/time.ts';
import type { TracesDatabase } from '../database/traces-database.ts';
import { ensureWorkspaceKey, findWorkspaceKeyOrNone } from '../sessions/workspace-keys.ts';

/** The trace or dataset of a share token, and the workspace in which it was shared. */
interface OpenedShare {
  readonly workspaceId: string;
  readonly kind: 'trace' | 'dataset';
  /** The ID of the trace or dataset. */
  readonly target: string;
  readonly runId: string | undefined;
  /** Whether the experiments on the dataset may be seen too. */
  readonly hasProjects: boolean;
}

/**
 * Shares the trace of a run; if the trace is already shared, its token stays the same. @throws HttpError 404, 409 for
 * an existing token.
 */
export function shareRun(
  { db, caches }: WriterContext,
  request: { workspaceId: string; runId: string; token: string | undefined },
): RunShare {
  const workspace = ensureWorkspaceKey(db, caches, request.workspaceId);
  const traceId = requireTraceId(db, workspace, request.runId);
  const token = share(db, workspace, { kind: 'trace', target: traceId, ...request });
  return { run_id: request.runId, shared_trace_id: traceId, share_token: token };
}

/** Ends the sharing of a run's trace. @throws HttpError 404 for a missing run. */
export function unshareRun(
  { db, caches }: WriterContext,
  request: { workspaceId: string; runId: string },
): void {
  const workspace = ensureWorkspaceKey(db, caches, request.workspaceId);
  const traceId = requireTraceId(db, workspace, request.runId);
  unshare(db, workspace, 'trace', traceId);
}

/**
 * Shares a dataset. If it is already shared, its token stays the same; the last request decides whether its experiments
 * are visible.
 * @throws HttpError 404, 409 for an existing token.
 */
export function shareDataset(
  { db, caches }: WriterContext,
  request: {
    workspaceId: string;
    datasetId: string;
    token: string | undefined;
    withProjects: boolean;
  },
): DatasetShare {
  const workspace = ensureWorkspaceKey(db, caches, request.workspaceId);
  requireDataset(db, workspace, request.datasetId);
  const token = share(db, workspace, { kind: 'dataset', target: request.datasetId, token: request.token });
  db.statement('UPDATE shares SET projects = ? WHERE token = ?').run(Number(request.withProjects), token);
  return { dataset_id: request.datasetId, share_token: token };
}

/** Ends the sharing of a dataset. @throws HttpError 404 for a missing dataset. */
export function unshareDataset(
  { db, caches }: WriterContext,
  request: { workspaceId: string; datasetId: string },
): void {
  const workspace = ensureWorkspaceKey(db, caches, request.workspaceId);
  requireDataset(db, workspace, request.datasetId);
  unshare(db, workspace, 'dataset', request.datasetId);
}

/** Reads how a run's trace is shared; null if it is not. @throws HttpError 404 for a missing run. */
export function readRunShare(
  { db }: ReaderContext,
  request: { workspaceId: string; runId: string },
): RunShare | null {
  const workspace = findWorkspaceKeyOrNone(db, request.workspaceId);
  const traceId = requireTraceId(db, workspace, request.runId);
  const token = findToken(db, workspace, 'trace', traceId);
  return token === undefined ? null : { run_id: request.runId, shared_trace_id: traceId, share_token: token };
}

/** Reads how a dataset is shared; null if it is not. @throws HttpError 404 for a missing dataset. */
export function readDatasetShare(
  { db }: ReaderContext,
  request: { workspaceId: string; datasetId: string },
): DatasetShare | null {
  const workspace = findWorkspaceKeyOrNone(db, request.workspaceId);
  requireDataset(db, workspace, request.datasetId);
  const token = findToken(db, workspace, 'dataset', request.datasetId);
  return token === undefined ? null : { dataset_id: request.datasetId, share_token: token };
}

/** Finds what a token shares. @throws HttpError 404 for a token that shares nothing of this kind. */
export function openShare(
  { db }: ReaderContext,
  request: { token: string; kind: OpenedShare['kind'] },
): OpenedShare {
  const row = db.get(
    db.build
      .selectFrom('shares')
      .innerJoin('workspaces', 'workspaces.key', 'shares.workspace')
      .select([
        'workspaces.id as workspaceId',
        'shares.kind',
        'shares.target',
        'shares.run_id',
        'shares.projects',
      ])
      .where('shares.token', '=', request.token)
      .where('shares.kind', '=', request.kind),
  );
  if (row === undefined) throw new HttpError(404, 'This link is no longer shared.');
  const { run_id, projects, ...share } = row;
  return { ...share, runId: run_id ?? undefined, hasProjects: projects === 1 };
}

/** Stores a share, unless there already is one. @returns its token. @throws HttpError 409 for an existing token. */
function share(
  db: TracesDatabase,
  workspace: number,
  wanted: { kind: OpenedShare['kind']; target: string; token: string | undefined; runId?: string },
): string {
  const known = findToken(db, workspace, wanted.kind, wanted.target);
  if (known !== undefined) return known;
  const token = wanted.token ?? uuidv4();
  if (db.statement('SELECT 1 FROM shares WHERE token = ?').get(token) !== undefined) {
    throw conflict('This share_token is already in use. Leave it out to have one generated.');
  }
  db.run(
    db.build.insertInto('shares').values({
      token,
      workspace,
      kind: wanted.kind,
      target: wanted.target,
      run_id: wanted.runId ?? null,
      created_at: nowMicros(),
    }),
  );
  return token;
}

/** Ends the sharing of deleted or hidden objects. */
export function unshare(
  db: TracesDatabase,
  workspace: number,
  kind: OpenedShare['kind'],
  target: string,
): void {
  db.statement('DELETE FROM shares WHERE target = ? AND kind = ? AND workspace = ?').run(
    target,
    kind,
    workspace,
  );
}

function findToken(
  db: TracesDatabase,
  workspace: number,
  kind: OpenedShare['kind'],
  target: string,
): string | undefined {
  const row = db
    .statement('SELECT token FROM shares WHERE target = ? AND kind = ? AND workspace = ?')
    .get(target, kind, workspace);
  return row === undefined ? undefined : String(row.token);
}

/** The ID of a run's trace. @throws HttpError 404 */
function requireTraceId(db: TracesDatabase, workspace: number, runId: string): string {
  const row = db
    .statement(
      'SELECT traces.id FROM runs JOIN traces ON traces.key = runs.trace WHERE runs.id = ? AND runs.workspace = ?',
    )
    .get(runId, workspace);
  if (row === undefined) throw notFound('Run', runId);
  return String(row.id);
}

function requireDataset(db: TracesDatabase, workspace: number, id: string): void {
  const row = db.statement('SELECT 1 FROM datasets WHERE workspace = ? AND id = ?').get(workspace, id);
  if (row === undefined) throw notFound('Dataset', id);
}
