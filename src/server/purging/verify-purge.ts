import type { Selectable } from 'kysely';
import { parseStored } from '../storage/stored-json.ts';
import type { PurgeJobTable } from '../tracing/database/purge-schema.ts';
import { examplesWithMetadata } from '../tracing/datasets/erase-examples.ts';
import { findWorkspace } from '../tracing/sessions/find-session.ts';
import { nowMicros } from '../tracing/time.ts';
import type { WriterContext } from '../tracing/writer-context.ts';
import { leftOfWorkspace } from './erase-workspace.ts';

/** How many deleted runs, or traces, are looked for at once. */
const ROWS_AT_ONCE = 200;

interface Checklist {
  readonly table: 'purge_runs' | 'purge_targets';
  readonly key: 'run' | 'trace';
  /** The places to check, and the query that counts remains for the rows of job ?1 with keys ?2 to ?3. */
  readonly places: readonly (readonly [place: string, sql: string])[];
}

const DELETED_RUNS = 'purge_runs AS gone WHERE gone.job = ?1 AND gone.run BETWEEN ?2 AND ?3';
const DELETED_TRACES = 'purge_targets AS gone WHERE gone.job = ?1 AND gone.trace BETWEEN ?2 AND ?3';

/** Runs before traces: how late feedback may be is noted with the trace. */
const CHECKLISTS: readonly Checklist[] = [
  {
    table: 'purge_runs',
    key: 'run',
    places: [
      ['runs', `SELECT count(*) AS n FROM runs WHERE key IN (SELECT run FROM ${DELETED_RUNS})`],
      ['attachments', `SELECT count(*) AS n FROM attachments WHERE run IN (SELECT run FROM ${DELETED_RUNS})`],
      [
        'words',
        `SELECT count(*) AS n FROM runs_words_docsize WHERE id IN
           (SELECT run * 2 FROM ${DELETED_RUNS} UNION ALL SELECT run * 2 + 1 FROM ${DELETED_RUNS})`,
      ],
      [
        'metadata',
        `SELECT count(*) AS n FROM purge_runs AS gone, json_each(gone.labels) AS label
         WHERE gone.job = ?1 AND gone.run BETWEEN ?2 AND ?3
           AND (EXISTS (SELECT 1 FROM run_labels AS kept WHERE kept.label = CAST(label.value AS BIGINT) AND kept.run = gone.run)
             OR EXISTS (SELECT 1 FROM labels WHERE key = CAST(label.value AS BIGINT)
               AND NOT EXISTS (SELECT 1 FROM run_labels AS kept WHERE kept.label = CAST(label.value AS BIGINT))))`,
      ],
      [
        'feedback',
        `SELECT count(*) AS n FROM purge_runs AS gone
         JOIN purge_targets AS target ON target.job = gone.job AND target.trace = gone.trace
         JOIN feedback ON feedback.run_id = gone.run_id AND feedback.workspace = target.workspace
         WHERE gone.job = ?1 AND gone.run BETWEEN ?2 AND ?3 AND feedback.key <= target.last_feedback`,
      ],
    ],
  },
  {
    table: 'purge_targets',
    key: 'trace',
    places: [
      ['traces', `SELECT count(*) AS n FROM traces WHERE key IN (SELECT trace FROM ${DELETED_TRACES})`],
      ['runs', `SELECT count(*) AS n FROM runs WHERE trace IN (SELECT trace FROM ${DELETED_TRACES})`],
      [
        'payloads',
        `SELECT count(*) AS n FROM payload_blocks WHERE trace IN (SELECT trace FROM ${DELETED_TRACES})`,
      ],
      [
        'attachments',
        `SELECT count(*) AS n FROM attachments WHERE trace IN (SELECT trace FROM ${DELETED_TRACES})`,
      ],
      [
        'feedback',
        `SELECT count(*) AS n FROM purge_targets AS gone
         JOIN feedback ON feedback.trace_id = gone.trace_id AND feedback.workspace = gone.workspace
         WHERE gone.job = ?1 AND gone.trace BETWEEN ?2 AND ?3 AND feedback.key <= gone.last_feedback`,
      ],
      [
        'feedback',
        `SELECT count(*) AS n FROM purge_targets AS gone
         JOIN feedback ON feedback.told_trace_id = gone.trace_id AND feedback.workspace = gone.workspace
         WHERE gone.job = ?1 AND gone.trace BETWEEN ?2 AND ?3 AND feedback.key <= gone.last_feedback`,
      ],
    ],
  },
];

/**
 * Checks for remaining data, records the result in the audit log, and ends the job.
 *
 * Works in slices, each a transaction: what is verified is removed from the job's list of deleted rows. What
 * is still on the list at the end was found again.
 */
export class PurgeVerification {
  readonly #context: WriterContext;
  readonly #job: Selectable<PurgeJobTable>;
  readonly #remaining: Record<string, number>;
  #list = 0;
  /** The last key that was looked at. */
  #after = 0;

  constructor(context: WriterContext, job: Selectable<PurgeJobTable>) {
    this.#context = context;
    this.#job = job;
    const places = CHECKLISTS.flatMap((list) => list.places.map(([place]) => place));
    this.#remaining = { ...Object.fromEntries(places.map((place) => [place, 0])), files: 0 };
  }

  get jobId(): string {
    return this.#job.id;
  }

  /**
   * @param until of `performance.now()`
   * @returns whether it has come to its end.
   */
  advance(until: number): boolean {
    return this.#context.db.transaction(() => {
      for (;;) {
        const list = CHECKLISTS[this.#list];
        if (list === undefined) break;
        if (!this.#strikeOff(list)) {
          this.#list++;
          this.#after = 0;
        }
        if (performance.now() > until) return false;
      }
      this.#conclude();
      return true;
    });
  }

  /** @returns whether there was anything left to look at. */
  #strikeOff({ table, key, places }: Checklist): boolean {
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
    for (const [place, sql] of places) note(place, Number(db.statement(sql).get(id, from, to)?.n ?? 0));
    if (table === 'purge_runs') note('files', this.#filesBetween(from, to));
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

  #conclude(): void {
    const { db } = this.#context;
    const job = this.#job;
    const { example_ids = [], dataset, workspace_id, ...filter } = parseStored(job.filter);
    if (filter.delete_examples && filter.metadata !== undefined) {
      const began = job.started_at ?? job.created_at;
      const left = examplesWithMetadata(this.#context, job.workspace, filter.metadata, began);
      this.#remaining.examples = left.length;
    }
    if (example_ids.length > 0) {
      this.#remaining.examples = countExamples(this.#context, job, example_ids);
    }
    if (dataset !== undefined) {
      const left = db.statement('SELECT count(*) AS n FROM example_versions WHERE dataset = ?').get(dataset);
      this.#remaining.examples = Number(left?.n ?? 0);
    }
    if (workspace_id !== undefined) {
      const left = leftOfWorkspace(db, findWorkspace(db, workspace_id) ?? -1);
      if (Object.keys(left).length > 0) {
        // A request in progress when the workspace was closed; its data is deleted too.
        db.statement(`UPDATE purge_jobs SET step = 'matching' WHERE id = ?`).run(job.id);
        return;
      }
    }
    const gone = Object.values(this.#remaining).every((count) => count === 0);
    db.run(
      db.build
        .updateTable('purge_jobs')
        .set({
          step: gone ? 'verified' : 'failed',
          finished_at: nowMicros(),
          error: gone ? null : `Still there after deletion: ${JSON.stringify(this.#remaining)}`,
        })
        .where('id', '=', job.id),
    );
    this.#context.audit(job, gone ? 'verified' : 'failed', {
      matched: job.matched,
      deleted: job.deleted,
      deleted_runs: job.deleted_runs,
      remaining: this.#remaining,
    });
    for (const { table } of CHECKLISTS) db.statement(`DELETE FROM ${table} WHERE job = ?`).run(job.id);
  }
}

/** Versions of examples that still hold something, and files of theirs, without what was added under their ids since. */
function countExamples(
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
