import { RunPayload } from '../../contract/tracing/runs.ts';
import { parseStored } from '../storage/stored-json.ts';
import type { WriterContext } from '../tracing/context/writer-context.ts';
import { PayloadBlockReader } from '../tracing/database/payload-blocks.ts';
import type { TracesDatabase } from '../tracing/database/traces-database.ts';
import type { PayloadPlaces } from '../tracing/database/traces-schema.ts';
import { uuidOf } from '../tracing/otlp/plan-places.ts';
import { deleteUnusedLabels } from '../tracing/runs/label-links.ts';
import { rememberPurged } from '../tracing/runs/purged-traces.ts';
import { unshare } from '../tracing/sharing/shares.ts';
import { findUnstored } from './find-unstored.ts';
import { PLACES } from './places.ts';

/** A trace to be deleted by a job, which records what it has deleted for the verification. */
interface PurgeTarget {
  readonly job: string;
  readonly key: number;
  readonly id: string;
  readonly workspace: number;
  /**
   * The row key of the newest feedback at the end of the first slice that deleted a part of the trace, or -1
   * if there was none; 0 until then.
   */
  readonly lastFeedback: number;
}

/** The number of runs that are deleted per slice of a large trace. */
const RUNS_AT_ONCE = 10;

/**
 * Deletes as much of a trace as fits in the time: first its runs with words and labels, then the rest. Called again until
 * it is done.
 * @param until a time of `performance.now()`.
 * @returns whether the trace has been deleted, and the number of runs that were deleted.
 */
export function deleteTrace(
  context: WriterContext,
  trace: PurgeTarget,
  until: number,
): { done: boolean; runs: number } {
  const { db } = context;
  const reader = new PayloadBlockReader(db);
  let runs = 0;
  for (;;) {
    const batch = db
      .statement(`SELECT key, session, id, payloads, labels FROM runs WHERE trace = ? LIMIT ${RUNS_AT_ONCE}`)
      .all(trace.key);
    if (batch.length === 0) break;
    const labels = new Set<number>();
    for (const run of batch) {
      const own = typeof run.labels === 'string' ? parseStored<number[]>(run.labels) : [];
      deleteRun(context, reader, trace, {
        key: Number(run.key),
        session: Number(run.session),
        id: String(run.id),
        places: parseStored<PayloadPlaces>(String(run.payloads)),
        labels: own,
      });
      for (const label of own) labels.add(label);
      runs++;
    }
    deleteUnusedLabels(db, context.caches, labels);
    if (performance.now() > until) {
      db.statement(
        `UPDATE purge_targets SET last_feedback = (SELECT coalesce(max(key), -1) FROM feedback)
         WHERE job = ? AND trace = ? AND last_feedback = 0`,
      ).run(trace.job, trace.key);
      return { done: false, runs };
    }
  }
  deleteRest(context, trace);
  if (trace.lastFeedback !== 0) deleteLateFeedback(db, trace);
  db.statement(
    `UPDATE purge_targets SET deleted = 1, last_feedback = (SELECT coalesce(max(key), 0) FROM feedback)
     WHERE job = ? AND trace = ?`,
  ).run(trace.job, trace.key);
  return { done: true, runs };
}

/** Deletes a run with everything that refers to it, and records it for the verification. */
function deleteRun(
  { db, blobs, words }: WriterContext,
  reader: PayloadBlockReader,
  { job, key: trace, workspace }: PurgeTarget,
  run: { key: number; session: number; id: string; places: PayloadPlaces; labels: readonly number[] },
): void {
  const files: string[] = [];
  for (const kind of RunPayload.options) {
    const place = run.places[kind];
    if (place === undefined) continue;
    // To remove words from the index, their text is needed, so the payload must still exist.
    words.remove({ run: run.key, session: run.session, kind, place }, reader);
    if ('blob' in place) files.push(place.blob);
  }
  for (const attachment of db
    .statement('SELECT blob FROM attachments WHERE run = ? AND blob IS NOT NULL')
    .all(run.key)) {
    files.push(String(attachment.blob));
  }
  for (const file of files) blobs.remove(file);
  db.statement('DELETE FROM attachments WHERE run = ?').run(run.key);
  const unlabel = db.statement('DELETE FROM run_labels WHERE label = ? AND run = ?');
  for (const label of run.labels) unlabel.run(label, run.key);
  db.statement('DELETE FROM feedback WHERE run_id = ? AND workspace = ?').run(run.id, workspace);
  for (const early of db
    .statement('DELETE FROM early_spans WHERE run = ? AND workspace = ? RETURNING trace')
    .all(run.id, workspace)) {
    deleteWaitingSpans(db, workspace, String(early.trace));
    rememberPurged(db, workspace, [uuidOf(String(early.trace))]);
  }
  db.statement('DELETE FROM feedback_tokens WHERE run_id = ? AND workspace = ?').run(run.id, workspace);
  db.statement('DELETE FROM runs WHERE key = ?').run(run.key);
  db.statement(
    `INSERT INTO purge_runs (job, run, trace, run_id, labels, files) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (job, run) DO UPDATE SET trace = excluded.trace, run_id = excluded.run_id, labels = excluded.labels,
       files = excluded.files`,
  ).run(job, run.key, trace, run.id, listOrNull(run.labels), listOrNull(files));
}

function listOrNull(list: readonly unknown[]): string | null {
  return list.length === 0 ? null : JSON.stringify(list);
}

/** Deletes the rest of a trace whose runs have been deleted. */
function deleteRest({ db, blobs }: WriterContext, trace: PurgeTarget): void {
  for (const { ofTrace } of Object.values(PLACES))
    if (ofTrace !== undefined) db.statement(ofTrace).run(trace.key);
  // Another workspace or project may have files for a trace with the same ID.
  const other = db.statement('SELECT 1 FROM traces WHERE id = ? LIMIT 1').get(trace.id);
  if (other === undefined) blobs.removeTrace(trace.id);
  // A trace that is also stored in another project keeps its waiting data.
  deleteWaiting(db, trace.workspace, findUnstored(db, trace.workspace, [trace.id]));
  rememberPurged(db, trace.workspace, [trace.id]);
  unshare(db, trace.workspace, 'trace', trace.id);
}

/** Deletes feedback that arrived between two slices for already deleted runs, because it names no trace. */
function deleteLateFeedback(db: TracesDatabase, { job, key, workspace, lastFeedback }: PurgeTarget): void {
  const late = 'feedback WHERE key > ? AND workspace = ? AND trace_id IS NULL AND run_id IS NOT NULL';
  // Usually there is none. This is checked first, because a job may have deleted very many runs.
  if (db.statement(`SELECT 1 FROM ${late} LIMIT 1`).get(lastFeedback, workspace) === undefined) return;
  db.statement(
    `DELETE FROM ${late} AND run_id IN (SELECT run_id FROM purge_runs WHERE job = ? AND trace = ?)`,
  ).run(lastFeedback, workspace, job, key);
}

/** Deletes the data of traces that arrived before its run: updates, spans, feedback and links. */
function deleteWaiting(db: TracesDatabase, workspace: number, ids: readonly string[]): void {
  if (ids.length === 0) return;
  db.statement(
    `DELETE FROM early_patches WHERE workspace = ?
       AND coalesce(trace_id, run_id) IN (SELECT value FROM json_each(cast(? AS text)))`,
  ).run(workspace, JSON.stringify(ids));
  for (const id of ids) {
    deleteWaitingSpans(db, workspace, id.replaceAll('-', ''));
    for (const column of ['run_id', 'trace_id', 'told_trace_id']) {
      db.statement(`DELETE FROM feedback WHERE ${column} = ? AND workspace = ?`).run(id, workspace);
    }
    db.statement('DELETE FROM feedback_tokens WHERE run_id = ? AND workspace = ?').run(id, workspace);
  }
}

/**
 * Deletes waiting data of traces that a purge names, or that have waited too long, unless a part of the trace is
 * stored. Later spans of these traces are refused, too.
 */
export function deleteUnstored(db: TracesDatabase, workspace: number, traceIds: readonly string[]): void {
  const ids = findUnstored(db, workspace, traceIds);
  deleteWaiting(db, workspace, ids);
  rememberPurged(db, workspace, ids);
}

/** Deletes spans and log records that wait for their trace. @param trace its ID in OpenTelemetry's form. */
function deleteWaitingSpans(db: TracesDatabase, workspace: number, trace: string): void {
  db.statement('DELETE FROM early_logs WHERE workspace = ? AND trace = ?').run(workspace, trace);
  // Usually there are none. This is checked first, because a trace may have thousands of placed spans.
  const waits = db.statement('SELECT 1 FROM early_spans WHERE run IS NULL LIMIT 1').get();
  if (waits === undefined) return;
  db.statement('DELETE FROM early_spans WHERE workspace = ? AND trace = ? AND run IS NULL').run(
    workspace,
    trace,
  );
}
