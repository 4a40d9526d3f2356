import type { BoundStatement } from '../../storage/sync-database.ts';
import type { IngestCaches } from '../context/ingest-caches.ts';
import type { Label } from '../context/label.ts';
import type { RowKeys } from '../database/row-keys.ts';
import type { TracesDatabase } from '../database/traces-database.ts';
import type { LabelTable } from '../database/traces-schema.ts';
import { IS_ATTEMPT } from './attempts.ts';
import { type LabelsOfProject, learnLabels } from './learn-labels.ts';

/**
 * The numbers of links per statement, with smaller ones for the rest: a span has about ten links, and each SQLite call
 * costs as much as a row.
 */
const LINKS_AT_ONCE = [32, 8, 2, 1];
const MAX_LINKS_AT_ONCE = Math.max(...LINKS_AT_ONCE);
const INSERT_LINKS = LINKS_AT_ONCE.map((count) => ({
  count,
  sql: `INSERT INTO run_labels (label, run) VALUES ${Array(count).fill('(?, ?)').join(', ')} ON CONFLICT DO NOTHING`,
}));

const LISTED = 'IN (SELECT CAST(value AS BIGINT) FROM json_each(cast(? AS text)))';
/** Selects labels, except for attempt numbers: a run that continues in another attempt keeps those of both. */
const FIND_REPLACEABLE = `SELECT key, kind FROM labels WHERE key ${LISTED} AND NOT (${IS_ATTEMPT})`;
const UNLINK = 'DELETE FROM run_labels WHERE label = ? AND run = ?';
const DELETE_UNUSED = `DELETE FROM labels WHERE key ${LISTED}
  AND NOT EXISTS (SELECT 1 FROM run_labels WHERE run_labels.label = labels.key)
  RETURNING session, kind, name, value, type`;

/** The labels that a run should have. */
export interface LabeledRun extends LabelsOfProject {
  readonly run: number;
  /** The keys of the labels that it has. */
  readonly known: readonly number[];
  /** The kinds of which it should have only `labels`; it keeps its other labels of the other kind. */
  readonly replaced: readonly Label['kind'][];
}

/** Links runs to labels. The links of a request are collected, and written in the order of the index. */
export class LabelLinks {
  readonly #db: TracesDatabase;
  readonly #caches: IngestCaches;
  readonly #keys: RowKeys;
  readonly #runs = new Map<number, number[]>();
  /** The links to be removed, as labels and runs. */
  readonly #stale: (readonly [label: number, run: number])[] = [];

  constructor(db: TracesDatabase, caches: IngestCaches, keys: RowKeys) {
    this.#db = db;
    this.#caches = caches;
    this.#keys = keys;
  }

  /** Adds labels to runs, and removes those that were replaced. @returns the keys of the labels of each run. */
  link(runs: readonly LabeledRun[]): number[][] {
    learnLabels(this.#db, this.#caches, this.#keys, runs);
    const linked = runs.map((run) => ({ ...run, wanted: this.#add(run) }));
    const replaceable = this.#findReplaceable(linked);
    return linked.map(({ run, wanted, known, replaced }) => {
      const keys = new Set(wanted);
      for (const key of known) {
        const kind = wanted.has(key) ? undefined : replaceable.get(key);
        if (kind === undefined || !replaced.includes(kind)) keys.add(key);
        else this.#stale.push([key, run]);
      }
      return [...keys];
    });
  }

  /** Links a run to the labels that it does not have yet. @returns the keys of all that it should have. */
  #add({ session, run, labels, known }: LabeledRun): ReadonlySet<number> {
    const wanted = new Set<number>();
    for (const label of labels) {
      const key = this.#keyOf(session, label);
      wanted.add(key);
      if (known.includes(key)) continue;
      const runs = this.#runs.get(key);
      if (runs === undefined) this.#runs.set(key, [run]);
      else runs.push(run);
    }
    return wanted;
  }

  /** Finds which other labels the runs may lose. @returns their kinds, by key. */
  #findReplaceable(
    runs: readonly (LabeledRun & { readonly wanted: ReadonlySet<number> })[],
  ): ReadonlyMap<number, Label['kind']> {
    const others = runs.flatMap(({ wanted, known, replaced }) =>
      replaced.length === 0 ? [] : known.filter((key) => !wanted.has(key)),
    );
    if (others.length === 0) return new Map();
    const find: BoundStatement<{ key: number; kind: Label['kind'] }> = {
      sql: FIND_REPLACEABLE,
      values: [JSON.stringify(others)],
    };
    const [rows] = this.#db.allOf([find]);
    return new Map(rows.map(({ key, kind }) => [key, kind]));
  }

  #keyOf(session: number, label: Label): number {
    const known = this.#caches.labels.get(session, label);
    if (known !== undefined) return known;
    learnLabels(this.#db, this.#caches, this.#keys, [{ session, labels: [label] }]);
    const key = this.#caches.labels.get(session, label);
    if (key === undefined) throw new Error('A label has a key once it is stored.');
    return key;
  }

  /** Writes the collected links; must be called before the request ends. */
  flush(): void {
    const links: number[] = [];
    for (const label of [...this.#runs.keys()].sort((a, b) => a - b)) {
      for (const run of this.#runs.get(label) ?? []) {
        links.push(label, run);
        if (links.length < MAX_LINKS_AT_ONCE * 2) continue;
        this.#write(links);
        links.length = 0;
      }
    }
    this.#write(links);
    this.#runs.clear();
    this.#unlink();
  }

  #unlink(): void {
    const unlink = this.#db.statement(UNLINK);
    for (const link of this.#stale) unlink.run(...link);
    deleteUnusedLabels(this.#db, this.#caches, new Set(this.#stale.map(([label]) => label)));
    this.#stale.length = 0;
  }

  /** @param links labels and runs, alternating. */
  #write(links: readonly number[]): void {
    let at = 0;
    for (const { count, sql } of INSERT_LINKS) {
      for (; links.length - at >= count * 2; at += count * 2) {
        this.#db.statement(sql).run(...links.slice(at, at + count * 2));
      }
    }
  }
}

/** Deletes the given labels that no run has any longer, because metadata is content too. */
export function deleteUnusedLabels(
  db: TracesDatabase,
  caches: IngestCaches,
  labels: ReadonlySet<number>,
): void {
  if (labels.size === 0) return;
  const remove: BoundStatement<Omit<LabelTable, 'key'>> = {
    sql: DELETE_UNUSED,
    values: [JSON.stringify([...labels])],
  };
  for (const { session, type, ...label } of db.allOf([remove]).flat()) {
    // Labels without a type are not cached.
    if (type !== 'unknown') caches.labels.delete(session, { ...label, type });
  }
}
