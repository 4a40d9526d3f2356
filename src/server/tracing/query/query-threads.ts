import type { ReaderContext } from '../context/reader-context.ts';
import { formatTime } from '../database/time.ts';
import type { TracesDatabase } from '../database/traces-database.ts';
import { THREAD_KEYS } from '../filters/filter-labels.ts';
import { findWorkspaceKeyOrNone } from '../sessions/workspace-keys.ts';

/** A conversation in the form of the interface, which calls it a thread. */
interface ConversationSummary {
  readonly thread_id: string;
  /** The number of its traces. */
  readonly count: number;
  /** When its first and its last trace began, in ISO 8601 format. */
  readonly min_start_time: string;
  readonly max_start_time: string;
  /** The ID of the trace whose root was stored last. */
  readonly last_trace_id: string;
}

/** One page of conversations, and the total number. */
export interface Conversations {
  readonly threads: ConversationSummary[];
  readonly total: number;
}

/** The roots in a project that belong to conversations; the values are project, workspace and `THREAD_KEYS`. */
const ROOTS_WITH_THREADS = `FROM labels
       JOIN sessions ON sessions.key = labels.session
       JOIN run_labels ON run_labels.label = labels.key
       JOIN runs ON runs.key = run_labels.run AND runs.parent_id IS NULL
       WHERE sessions.id = ? AND sessions.workspace = ? AND labels.kind = 'metadata'
         AND labels.name IN (${THREAD_KEYS.map(() => '?').join(', ')})`;

/**
 * Lists the conversations in a project, latest first. A conversation consists of the traces whose roots have
 * the same thread.
 */
export function queryThreads(
  { db }: ReaderContext,
  request: { workspaceId: string; sessionId: string; limit: number; offset: number },
): Conversations {
  const workspace = findWorkspaceKeyOrNone(db, request.workspaceId);
  const values = [request.sessionId, workspace, ...THREAD_KEYS];
  const rows = db
    .statement(
      `SELECT labels.value AS thread_id, count(DISTINCT runs.key) AS count, min(runs.start_time) AS first, max(runs.start_time) AS last,
         max(runs.key) AS last_run,
         count(*) OVER () AS total
       ${ROOTS_WITH_THREADS}
       GROUP BY labels.value ORDER BY last DESC, thread_id LIMIT ? OFFSET ?`,
    )
    .all(...values, request.limit, request.offset);
  const threads = rows.map((row) => ({
    thread_id: String(row.thread_id),
    count: Number(row.count),
    min_start_time: formatTime(Number(row.first)),
    max_start_time: formatTime(Number(row.last)),
    last_trace_id: String(
      db.statement('SELECT id FROM runs WHERE key = ?').get(Number(row.last_run))?.id ?? '',
    ),
  }));
  const total = rows[0]?.total ?? (request.offset === 0 ? 0 : countThreads(db, values));
  return { threads, total: Number(total) };
}

/** Counts the conversations. A page after the last one has no row with their number. */
function countThreads(db: TracesDatabase, values: readonly (string | number)[]): number {
  const row = db
    .statement(`SELECT count(DISTINCT labels.value) AS total ${ROOTS_WITH_THREADS}`)
    .get(...values);
  return Number(row?.total);
}
