import type { Selectable } from 'kysely';
import type { Feedback, FeedbackQuery } from '../../../contract/tracing/feedback.ts';
import { invalid, notFound } from '../../http/errors.ts';
import { textIn } from '../../storage/dialect-expressions.ts';
import { isAmong } from '../../storage/is-among.ts';
import type { ReaderContext } from '../context/reader-context.ts';
import { formatTime, parseTime } from '../database/time.ts';
import type { TracesDatabase } from '../database/traces-database.ts';
import type { FeedbackTable } from '../database/traces-schema.ts';
import { findWorkspace } from '../sessions/find-session.ts';

/** Converts feedback to its wire form. Until its run has arrived, its trace is the one that the sender named. */
export function feedbackOf(row: Selectable<FeedbackTable>): Feedback {
  return {
    id: row.id,
    key: row.name,
    run_id: row.run_id,
    trace_id: row.trace_id ?? row.told_trace_id,
    session_id: row.session_id,
    score: row.score,
    value: parseJson(row.value),
    comment: row.comment,
    correction: parseJson(row.correction),
    extra: row.extra === null ? null : JSON.parse(row.extra),
    feedback_source: parseJson(row.source),
    feedback_group_id: row.feedback_group_id,
    comparative_experiment_id: row.comparative_experiment_id,
    created_at: formatTime(row.created_at),
    modified_at: formatTime(row.modified_at),
    is_root: row.run_id !== null && row.run_id === row.trace_id,
  };
}

/** @throws HttpError 422 for an invalid time. */
export function listFeedback(
  { db }: ReaderContext,
  request: { workspaceId: string; query: FeedbackQuery },
): Feedback[] {
  const { query } = request;
  const workspace = findWorkspace(db, request.workspaceId);
  if (workspace === undefined) return [];
  let rows = db.build.selectFrom('feedback').selectAll().where('workspace', '=', workspace);
  if (query.run !== undefined) rows = rows.where('run_id', 'in', query.run);
  if (query.key !== undefined) rows = rows.where('name', 'in', query.key);
  if (query.session !== undefined) rows = rows.where('session_id', 'in', query.session);
  if (query.source !== undefined) rows = rows.where(textIn('source', 'type'), 'in', query.source);
  if (query.has_comment !== undefined)
    rows = rows.where('comment', query.has_comment ? 'is not' : 'is', null);
  if (query.has_score !== undefined) rows = rows.where('score', query.has_score ? 'is not' : 'is', null);
  if (query.level === 'run') rows = rows.where('run_id', 'is not', null);
  if (query.level === 'session') rows = rows.where('run_id', 'is', null);
  if (query.user !== undefined) rows = rows.where(textIn('source', 'user_id'), 'in', query.user);
  if (query.comparative_experiment_id !== undefined) {
    rows = rows.where('comparative_experiment_id', '=', query.comparative_experiment_id);
  }
  const after = timeIn(query, 'min_created_at');
  const before = timeIn(query, 'max_created_at');
  if (after !== undefined) rows = rows.where('created_at', '>=', after);
  if (before !== undefined) rows = rows.where('created_at', '<=', before);
  return db
    .all(rows.orderBy('created_at', 'desc').orderBy('key', 'desc').limit(query.limit).offset(query.offset))
    .map(feedbackOf);
}

function timeIn(query: FeedbackQuery, field: 'min_created_at' | 'max_created_at'): number | undefined {
  const text = query[field];
  if (text === undefined) return undefined;
  const micros = parseTime(text);
  if (micros === undefined) throw invalid(['query', field], 'Must be a time in ISO 8601.', 'datetime');
  return micros;
}

/** @throws HttpError 404 */
export function getFeedback(
  { db }: ReaderContext,
  request: { workspaceId: string; feedbackId: string },
): Feedback {
  const row = db.get(
    db.build
      .selectFrom('feedback')
      .selectAll()
      .where('workspace', '=', findWorkspace(db, request.workspaceId) ?? -1)
      .where('id', '=', request.feedbackId),
  );
  if (row === undefined) throw notFound('Feedback', request.feedbackId);
  return feedbackOf(row);
}

export interface StoredToken {
  readonly id: string;
  readonly key: string;
  readonly expiresAt: string;
}

/** Lists the feedback links of a run, newest first. */
export function listTokens(
  { db }: ReaderContext,
  request: {
    workspaceId: string;
    projects?: readonly string[] | undefined;
    runId: string;
    limit: number;
    offset: number;
  },
): StoredToken[] {
  const workspace = findWorkspace(db, request.workspaceId) ?? -1;
  const { projects } = request;
  return db
    .all(
      db.build
        .selectFrom('feedback_tokens')
        .select(['id', 'name', 'expires_at'])
        .where('run_id', '=', request.runId)
        .where('workspace', '=', workspace)
        .$if(projects !== undefined, (all) =>
          all.where('session_id', 'in', (query) =>
            query
              .selectFrom('sessions')
              .select('id')
              .where('workspace', '=', workspace)
              .where('name', 'in', [...(projects ?? [])]),
          ),
        )
        .orderBy('created_at', 'desc')
        .limit(request.limit)
        .offset(request.offset),
    )
    .map((row) => ({ id: row.id, key: row.name, expiresAt: formatTime(row.expires_at) }));
}

/** Statistics of the feedback on one run under one key. */
export interface KeyStats {
  n: number;
  avg: number | null;
  min: number | null;
  max: number | null;
  stdev: number | null;
  errors: number;
  values: Record<string, number>;
  comments: string[];
  sources: string[];
}

/** Summarizes the feedback on runs, by run and key. */
export function feedbackStats(
  db: TracesDatabase,
  workspace: number,
  runIds: readonly string[],
): Map<string, Record<string, KeyStats>> {
  const stats = new Map<string, Record<string, KeyStats>>();
  if (runIds.length === 0) return stats;
  const rows = db.all(
    db.build
      .selectFrom('feedback')
      .select(['run_id', 'name', 'score', 'value', 'comment', 'source'])
      .where(isAmong('run_id', [...runIds]))
      .where('workspace', '=', workspace)
      // The preference between two runs says nothing about a single run.
      .where('comparative_experiment_id', 'is', null)
      .orderBy('key'),
  );
  const scores = new Map<KeyStats, number[]>();
  for (const row of rows) {
    const ofRun = stats.get(row.run_id ?? '') ?? {};
    stats.set(row.run_id ?? '', ofRun);
    ofRun[row.name] ??= emptyStats();
    const entry = ofRun[row.name];
    if (entry === undefined) continue;
    addFeedback(entry, row);
    if (row.score === null) continue;
    const known = scores.get(entry);
    if (known === undefined) scores.set(entry, [row.score]);
    else known.push(row.score);
  }
  for (const [entry, values] of scores) finishStats(entry, values);
  return stats;
}

export function emptyStats(): KeyStats {
  return {
    n: 0,
    avg: null,
    min: null,
    max: null,
    stdev: null,
    errors: 0,
    values: {},
    comments: [],
    sources: [],
  };
}

export function addFeedback(
  entry: KeyStats,
  row: { value: string | null; comment: string | null; source: string | null },
): void {
  entry.n++;
  const value = parseJson(row.value);
  if (typeof value === 'string') entry.values[value] = (entry.values[value] ?? 0) + 1;
  if (row.comment !== null && entry.comments.length < 5) entry.comments.push(row.comment);
  if (row.source !== null && !entry.sources.includes(row.source)) entry.sources.push(row.source);
}

/** Summarizes at least one score. The deviation is the population standard deviation. */
export function finishStats(entry: KeyStats, scores: readonly number[]): void {
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  entry.avg = mean;
  entry.min = scores.reduce((least, score) => Math.min(least, score));
  entry.max = scores.reduce((most, score) => Math.max(most, score));
  entry.stdev = Math.sqrt(scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / scores.length);
}

function parseJson(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}
