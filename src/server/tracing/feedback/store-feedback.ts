import { v7 as uuidv7 } from 'uuid';
import type { FeedbackCreate } from '../../../contract/tracing/feedback.ts';
import { forbidden, HttpError } from '../../http/errors.ts';
import { jsonOrNull } from '../../storage/stored-json.ts';
import type { WriterContext } from '../context/writer-context.ts';
import { nowMicros, parseBodyTime } from '../database/time.ts';
import { purgedAmong } from '../runs/purged-traces.ts';
import { ensureSession } from '../sessions/find-session.ts';
import { upgradeTrace } from '../sessions/upgrade-trace.ts';
import { WritableProjects } from '../sessions/writable-projects.ts';

/** A run that is being stored for the first time: its ID, its trace's ID, and its project's key. */
interface ArrivedRun {
  readonly id: string;
  readonly traceId: string;
  readonly session: number;
}

/**
 * Stores feedback; sending it again under the same ID changes nothing. The run may arrive later.
 * @param projects the names of the projects that the sender may write to; all when undefined.
 * @returns the ID of the feedback.
 * @throws HttpError 404 for a trace that was purged, 422 for a time that cannot be stored, 403 for a run or project
 * that may not be written to.
 */
export function storeFeedback(
  context: WriterContext,
  workspace: number,
  feedback: FeedbackCreate,
  projects?: readonly string[],
): string {
  const { db } = context;
  const id = feedback.id ?? uuidv7();
  const runId = feedback.run_id ?? feedback.trace_id ?? null;
  const run = runId === null ? undefined : findRun(context, workspace, runId);
  const sessionId = requireWritableSession(context, workspace, {
    projects,
    known: run,
    named: feedback.session_id,
  });
  // If a sender may not write to all projects, the trace that it names for a run that is not stored yet is
  // ignored.
  const statedTraceId = projects === undefined ? (feedback.trace_id ?? null) : null;
  const traceId = run?.traceId ?? statedTraceId;
  if (run === undefined) refusePurged(context, workspace, [runId, feedback.trace_id ?? null]);
  const extendsRetention = feedback.extend_trace_retention !== false;
  db.run(
    db.build
      .insertInto('feedback')
      .values({
        workspace,
        id,
        run_id: runId,
        // A run that is not stored yet is resolved when it arrives.
        trace_id: run?.traceId ?? null,
        told_trace_id: run === undefined ? traceId : null,
        extends_retention: Number(extendsRetention),
        session_id: sessionId,
        only_session_id: run === undefined && projects !== undefined ? sessionId : null,
        ...statedColumns(feedback),
      })
      .onConflict((conflict) => conflict.columns(['id', 'workspace']).doNothing()),
  );
  if (feedback.feedback_config) storeConfig(context, workspace, feedback.key, feedback.feedback_config);
  if (traceId !== null && extendsRetention) upgradeTrace(context, workspace, traceId);
  return id;
}

/** The columns that the feedback alone determines. @throws HttpError 422 for a time that cannot be stored */
function statedColumns(feedback: FeedbackCreate) {
  const now = nowMicros();
  return {
    name: feedback.key,
    score: typeof feedback.score === 'boolean' ? Number(feedback.score) : (feedback.score ?? null),
    value: jsonOrNull(feedback.value),
    comment: feedback.comment ?? null,
    correction: jsonOrNull(feedback.correction),
    extra: jsonOrNull(feedback.extra),
    source: JSON.stringify(feedback.feedback_source ?? { type: 'api', metadata: {} }),
    feedback_group_id: feedback.feedback_group_id ?? null,
    comparative_experiment_id: feedback.comparative_experiment_id ?? null,
    created_at: parseBodyTime(feedback.created_at, 'created_at') ?? now,
    modified_at: parseBodyTime(feedback.modified_at, 'modified_at') ?? now,
  };
}

/**
 * Assigns feedback that arrived before its run to the run's trace and project. Feedback limited to another
 * project is dropped.
 */
export function resolveEarlyFeedback(context: WriterContext, workspace: number, run: ArrivedRun): void {
  const { db } = context;
  db.statement(
    `DELETE FROM feedback WHERE run_id = ? AND trace_id IS NULL AND workspace = ?
       AND only_session_id <> (SELECT id FROM sessions WHERE key = ?)`,
  ).run(run.id, workspace, run.session);
  const early = db
    .statement(
      'SELECT extends_retention FROM feedback WHERE run_id = ? AND trace_id IS NULL AND workspace = ?',
    )
    .all(run.id, workspace);
  if (early.length === 0) return;
  db.statement(
    `UPDATE feedback SET trace_id = ?, told_trace_id = NULL, session_id = (SELECT id FROM sessions WHERE key = ?)
     WHERE run_id = ? AND trace_id IS NULL AND workspace = ?`,
  ).run(run.traceId, run.session, run.id, workspace);
  if (early.some(({ extends_retention }) => extends_retention === 1)) {
    upgradeTrace(context, workspace, run.traceId);
  }
}

/**
 * The project of feedback: its run's, or the named one, or else the only project that may be written to.
 * @returns the ID of the project; null for the project of a run that has not arrived.
 * @throws HttpError 403
 */
export function requireWritableSession(
  { db, caches }: WriterContext,
  workspace: number,
  sent: {
    /** The names of the projects that the sender may write to; all when undefined. */
    readonly projects: readonly string[] | undefined;
    /** The run, if it is stored. */
    readonly known: { readonly sessionId: string } | undefined;
    /** The ID of the project that the feedback names. */
    readonly named?: string | null | undefined;
  },
): string | null {
  const given = sent.known?.sessionId ?? sent.named ?? null;
  const writable = new WritableProjects(db, workspace, sent.projects);
  if (writable.areAll) return given;
  if (given !== null && !writable.hasId(given))
    throw forbidden('This key may not give feedback on runs of this project.');
  if (given !== null) return given;
  if (writable.hasName(writable.defaultName))
    return ensureSession(db, caches, workspace, writable.defaultName).id;
  throw forbidden(
    'The run is not stored yet: name its project in session_id, since this key may write to several.',
  );
}

/** Stores the configuration of a feedback key, unless the key already has one. */
function storeConfig(context: WriterContext, workspace: number, name: string, config: object): void {
  const { db } = context;
  db.run(
    db.build
      .insertInto('feedback_configs')
      .values({
        workspace,
        name,
        config: JSON.stringify(config),
        is_lower_score_better: null,
        modified_at: nowMicros(),
      })
      .onConflict((conflict) => conflict.doNothing()),
  );
}

/** Refuses feedback on purged traces. A run that has not arrived may be the root of its trace. @throws HttpError 404 */
function refusePurged({ db }: WriterContext, workspace: number, ids: readonly (string | null)[]): void {
  const traceIds = ids.filter((id) => id !== null);
  if (traceIds.length === 0) return;
  const [[purged]] = db.allOf([purgedAmong(workspace, traceIds)]);
  if (purged !== undefined) throw new HttpError(404, `Trace ${purged.trace_id} was purged.`);
}

/** Finds the trace and the project of a stored run. */
export function findRun({ db }: WriterContext, workspace: number, runId: string) {
  return db.get(
    db.build
      .selectFrom('runs')
      .innerJoin('traces', 'traces.key', 'runs.trace')
      .innerJoin('sessions', 'sessions.key', 'runs.session')
      .select(['traces.id as traceId', 'sessions.id as sessionId'])
      .where('runs.id', '=', runId)
      .where('runs.workspace', '=', workspace),
  );
}
