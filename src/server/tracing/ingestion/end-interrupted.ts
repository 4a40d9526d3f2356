import type { TraceChange } from '../context/changes.ts';
import type { WriterContext } from '../context/writer-context.ts';
import { nowMicros } from '../database/time.ts';
import type { TracesDatabase } from '../database/traces-database.ts';
import { attemptStarts, HAS_ATTEMPT, LOOK_BACK_MICROS, lastAttemptsOf } from '../runs/attempts.ts';
import { findWorkspaceKey } from '../sessions/workspace-keys.ts';
import { draftOf, type RunDraft, writeDraft } from './run-draft.ts';
import { StoredRuns } from './stored-runs.ts';

/** Selects spans that a lost process has left open. */
export interface InterruptedSpans {
  readonly workspaceId: string;
  /** The error with which they end. */
  readonly message: string;
  /** Microseconds since 1970; spans that started later belong to living processes. */
  readonly startedBefore: number;
  readonly which: InterruptedWork;
}

/** Selects the work whose process was lost. */
type InterruptedWork =
  /** The trace of a run that no server continues. */
  | { readonly kind: 'trace'; readonly traceId: string }
  /** The attempts at a run before the given one, except for the root, which the given attempt ends. */
  | { readonly kind: 'attempts'; readonly traceId: string; readonly before: number }
  /** The agent server's runs in a project, except for the given traces, whose runs continue. */
  | { readonly kind: 'project'; readonly name: string; readonly except: readonly string[] };

const OPEN_IN_TRACE = `SELECT runs.id FROM runs JOIN traces ON traces.key = runs.trace
  WHERE traces.id = ? AND runs.workspace = ? AND runs.status = 'pending' AND runs.start_time < ?`;
const OPEN_IN_ATTEMPTS = `SELECT runs.id, runs.key, runs.start_time FROM runs JOIN traces ON traces.key = runs.trace
  WHERE traces.id = ? AND runs.workspace = ? AND runs.status = 'pending' AND runs.parent_id IS NOT NULL`;
const OPEN_IN_PROJECT = `SELECT runs.id FROM runs JOIN sessions ON sessions.key = runs.session
  WHERE sessions.name = ? AND sessions.workspace = ? AND runs.status = 'pending'
  AND runs.start_time > ? AND runs.start_time < ? AND ${HAS_ATTEMPT}`;

/** Ends open spans of lost processes as failed. @returns the changed traces */
export function endInterrupted(context: WriterContext, request: InterruptedSpans): readonly TraceChange[] {
  const { db, blocks } = context;
  const workspace = findWorkspaceKey(db, request.workspaceId);
  if (workspace === undefined) return [];
  const spans = findOpenSpans(context, workspace, request);
  const error = Buffer.from(JSON.stringify(request.message));
  for (const { draft, lostAt } of spans) {
    draft.endTime = Math.max(lostAt ?? nowMicros(), draft.startTime);
    draft.status = 'error';
    draft.places.error = blocks.add(draft.trace, error, undefined);
    writeDraft(db, workspace, draft);
  }
  blocks.flush();
  const sessions = db.statement('SELECT id FROM sessions WHERE key = ?');
  return [...new Map(spans.map(({ draft }) => [draft.traceId, draft.session]))].map(([id, session]) => ({
    resource: 'trace',
    action: 'updated',
    id,
    session_id: String(sessions.get(session)?.id),
  }));
}

/** A span that was left open. */
interface OpenSpan {
  readonly draft: RunDraft;
  /**
   * The latest time at which the span's process may have been lost, in microseconds; undefined if it is not
   * known.
   */
  readonly lostAt: number | undefined;
}

function findOpenSpans(
  { db }: WriterContext,
  workspace: number,
  { which, startedBefore }: InterruptedSpans,
): readonly OpenSpan[] {
  const stored = new StoredRuns(db, workspace);
  const continuing = new Set(which.kind === 'project' ? which.except : []);
  return findOpenRuns(db, workspace, which, startedBefore)
    .flatMap(({ id, lostAt }) => {
      const run = stored.find(id);
      return run === undefined ? [] : [{ draft: draftOf(run), lostAt }];
    })
    .filter(({ draft }) => !continuing.has(draft.traceId));
}

interface OpenRun {
  readonly id: string;
  readonly lostAt: OpenSpan['lostAt'];
}

function findOpenRuns(
  db: TracesDatabase,
  workspace: number,
  which: InterruptedWork,
  startedBefore: number,
): OpenRun[] {
  const { kind } = which;
  if (kind === 'attempts') return findOpenInAttempts(db, workspace, which, startedBefore);
  const open =
    kind === 'trace'
      ? db.statement(OPEN_IN_TRACE).all(which.traceId, workspace, startedBefore)
      : db
          .statement(OPEN_IN_PROJECT)
          .all(which.name, workspace, startedBefore - LOOK_BACK_MICROS, startedBefore);
  return open.map(({ id }) => ({ id: String(id), lostAt: undefined }));
}

/**
 * Finds spans that lost attempts have left open. An attempt was lost before the next one began.
 * @param last the number of the attempt that continues.
 * @param lastBegan when it began, in microseconds.
 */
function findOpenInAttempts(
  db: TracesDatabase,
  workspace: number,
  { traceId, before: last }: Extract<InterruptedWork, { kind: 'attempts' }>,
  lastBegan: number,
): OpenRun[] {
  const open = db.statement(OPEN_IN_ATTEMPTS).all(traceId, workspace);
  const attempts = lastAttemptsOf(
    db,
    open.map(({ key }) => Number(key)),
  );
  const nextBegan = attemptStarts(db, workspace, traceId);
  return open.flatMap(({ id, start_time }, index) => {
    const attempt = attempts[index];
    // The clocks of two servers may differ, so only spans without an attempt number are compared by time.
    const isLost = attempt === undefined ? Number(start_time) < lastBegan : attempt < last;
    if (!isLost) return [];
    return [
      { id: String(id), lostAt: (attempt === undefined ? undefined : nextBegan(attempt)) ?? lastBegan },
    ];
  });
}
