import type { Selectable } from 'kysely';
import { parseStored } from '../storage/stored-json.ts';
import type { WriterContext } from '../tracing/context/writer-context.ts';
import type { PurgeFilter, PurgeJobTable } from '../tracing/database/purge-schema.ts';
import { nowMicros } from '../tracing/database/time.ts';
import type { TracesDatabase } from '../tracing/database/traces-database.ts';
import { findExamplesWithMetadata } from '../tracing/datasets/find-examples.ts';
import { findWorkspaceKeyOrNone } from '../tracing/sessions/workspace-keys.ts';
import { countRemaining } from './erase-workspace.ts';
import { matchingTraces } from './match-traces.ts';
import { CHECKS, type Check } from './places.ts';
import { waitingMatch } from './waiting-pieces.ts';

/** The number of deleted runs or traces that are checked together. */
const ROWS_AT_ONCE = 200;

interface Checklist {
  readonly table: 'purge_runs' | 'purge_targets';
  readonly key: 'run' | 'trace';
  readonly checks: readonly Check[];
}

/** Runs are checked before traces, because the limit for late feedback is stored with the trace. */
const CHECKLISTS: readonly Checklist[] = [
  { table: 'purge_runs', key: 'run', checks: CHECKS.filter((check) => check.of === 'runs') },
  { table: 'purge_targets', key: 'trace', checks: CHECKS.filter((check) => check.of === 'traces') },
];

/**
 * Checks whether data of deleted runs and traces remains, records the result in the audit log, and ends the job. Works in
 * slices, each a transaction, which remove verified rows from the job's lists.
 */
export class PurgeVerification {
  readonly #context: WriterContext;
  readonly #job: Selectable<PurgeJobTable>;
  readonly #remaining: Record<string, number>;
  #list = 0;
  /** The last key that was checked. */
  #after = Number.MIN_SAFE_INTEGER;

  constructor(context: WriterContext, job: Selectable<PurgeJobTable>) {
    this.#context = context;
    this.#job = job;
    this.#remaining = { ...Object.fromEntries(CHECKS.map(({ place }) => [place, 0])), files: 0 };
  }

  get jobId(): string {
    return this.#job.id;
  }

  /**
   * Does a slice of the verification.
   * @param until a time of `performance.now()`.
   * @returns whether the verification is finished.
   */
  advance(until: number): boolean {
    return this.#context.db.transaction(() => {
      for (;;) {
        const list = CHECKLISTS[this.#list];
        if (list === undefined) break;
        if (!this.#checkNext(list)) {
          this.#list++;
          this.#after = Number.MIN_SAFE_INTEGER;
        }
        if (performance.now() > until) return false;
      }
      this.#conclude();
      return true;
    });
  }

  /** Checks the next rows of a list, and removes them if nothing remains. @returns whether there were any */
  #checkNext({ table, key, checks }: Checklist): boolean {
    const { db } = this.#context;
    const { id } = this.#job;
    const { from, to } =
      db
        .statement(
          `SELECT min(${key}) AS "from", max(${key}) AS "to" FROM
             (SELECT ${key} FROM ${table} WHERE job = ? AND ${key} > ? ORDER BY ${key} LIMIT ${ROWS_AT_ONCE})`,
        )
        .get(id, this.#after) ?? {};
    if (typeof from !== 'number' || typeof to !== 'number') return false;
    let found = 0;
    const note = (place: string, count: number) => {
      this.#remaining[place] = (this.#remaining[place] ?? 0) + count;
      found += count;
    };
    for (const { place, sql } of checks) note(place, Number(db.statement(sql).get(id, from, to)?.n ?? 0));
    note(
      'files',
      table === 'purge_runs' ? this.#filesBetween(from, to) : this.#unnamedFilesBetween(from, to),
    );
    if (found === 0) {
      db.statement(`DELETE FROM ${table} WHERE job = ? AND ${key} BETWEEN ? AND ?`).run(id, from, to);
    }
    this.#after = to;
    return true;
  }

  #filesBetween(from: number, to: number): number {
    const { db, blobs } = this.#context;
    return db
      .statement('SELECT files FROM purge_runs WHERE job = ? AND run BETWEEN ? AND ? AND files IS NOT NULL')
      .all(this.#job.id, from, to)
      .flatMap(({ files }) => parseStored<string[]>(String(files)))
      .filter((file) => blobs.has(file)).length;
  }

  /** Counts files of deleted traces that no run referred to any longer, such as replaced ones. */
  #unnamedFilesBetween(from: number, to: number): number {
    const { db, blobs } = this.#context;
    return (
      db
        // Another workspace or project may have files for a trace with the same ID.
        .statement(
          `SELECT DISTINCT trace_id FROM purge_targets WHERE job = ? AND trace BETWEEN ? AND ?
             AND NOT EXISTS (SELECT 1 FROM traces WHERE traces.id = purge_targets.trace_id)`,
        )
        .all(this.#job.id, from, to)
        .reduce((sum, { trace_id }) => sum + blobs.countOf(String(trace_id)), 0)
    );
  }

  /** Whether the filter matches data that was received before the purge began, but became visible later. */
  #isMatchedAgain(filter: PurgeFilter): boolean {
    const { db } = this.#context;
    const job = this.#job;
    if (filter.example_ids !== undefined || filter.dataset_id !== undefined) return false;
    const began = job.started_at ?? job.created_at;
    const { waiting, unstored } = waitingMatch(db, job.workspace, filter, began);
    const again = matchingTraces(db, job.workspace, filter, waiting)
      .where('traces.first_received_at', '<=', began)
      .select('traces.key')
      .limit(1);
    return unstored.size > 0 || db.get(again) !== undefined;
  }

  /** Counts what remains of examples; undefined for a purge that deletes none. */
  #countExamples({ delete_examples, metadata, example_ids = [], dataset }: PurgeFilter): number | undefined {
    const { db } = this.#context;
    const job = this.#job;
    if (dataset !== undefined) {
      const left = db.statement('SELECT count(*) AS n FROM example_versions WHERE dataset = ?').get(dataset);
      return Number(left?.n ?? 0);
    }
    if (example_ids.length > 0) return countContents(this.#context, job, example_ids);
    if (!delete_examples || metadata === undefined) return undefined;
    const began = job.started_at ?? job.created_at;
    return findExamplesWithMetadata(this.#context, job.workspace, metadata, began).length;
  }

  /**
   * Whether data arrived during the purge that must be deleted too.
   * @param gone whether nothing of what was deleted remains.
   */
  #hasNewData(filter: PurgeFilter, gone: boolean): boolean {
    const { workspace_id } = filter;
    if (workspace_id === undefined) return gone && this.#isMatchedAgain(filter);
    const { db } = this.#context;
    // A request may have been in progress when the workspace was closed.
    return Object.keys(countRemaining(db, findWorkspaceKeyOrNone(db, workspace_id))).length > 0;
  }

  /** Ends the job, or lets it match again if data arrived during the purge. */
  #conclude(): void {
    const { db } = this.#context;
    const job = this.#job;
    const filter = parseStored(job.filter);
    const examples = this.#countExamples(filter);
    if (examples !== undefined) this.#remaining.examples = examples;
    const gone = Object.values(this.#remaining).every((count) => count === 0);
    if (this.#hasNewData(filter, gone)) {
      db.statement(`UPDATE purge_jobs SET step = 'matching' WHERE id = ?`).run(job.id);
      return;
    }
    db.run(
      db.build
        .updateTable('purge_jobs')
        .set({
          step: gone ? 'verified' : 'failed',
          finished_at: nowMicros(),
          error: gone ? null : `Data remains after the deletion: ${JSON.stringify(this.#remaining)}`,
        })
        .where('id', '=', job.id),
    );
    this.#context.audit(job, gone ? 'verified' : 'failed', {
      matched: job.matched,
      deleted: job.deleted,
      deleted_runs: job.deleted_runs,
      remaining: this.#remaining,
    });
    deleteLists(db, job.id);
  }
}

/** Deletes the lists of an ended job. */
export function deleteLists(db: TracesDatabase, jobId: string): void {
  for (const { table } of CHECKLISTS) db.statement(`DELETE FROM ${table} WHERE job = ?`).run(jobId);
}

/**
 * Counts the versions of examples that still have content, and their files. Those that were added later under
 * the same IDs do not count.
 */
function countContents(
  { db }: WriterContext,
  job: Selectable<PurgeJobTable>,
  ids: readonly string[],
): number {
  const { workspace, created_at } = job;
  const versions = db.statement(
    `SELECT count(*) AS n FROM example_versions WHERE id = ? AND workspace = ? AND from_version <= ?
       AND (inputs IS NOT NULL OR outputs IS NOT NULL OR metadata IS NOT NULL OR attachments IS NOT NULL)`,
  );
  const later = db.statement(
    'SELECT attachments FROM example_versions WHERE id = ? AND workspace = ? AND from_version > ? AND attachments IS NOT NULL',
  );
  const files = db.statement('SELECT key FROM example_files WHERE example = ? AND workspace = ?');
  let count = 0;
  for (const id of ids) {
    const added = later
      .all(id, workspace, created_at)
      .flatMap(({ attachments }) => Object.values(parseStored<Record<string, number>>(String(attachments))));
    count += Number(versions.get(id, workspace, created_at)?.n ?? 0);
    count += files.all(id, workspace).filter(({ key }) => !added.includes(Number(key))).length;
  }
  return count;
}
