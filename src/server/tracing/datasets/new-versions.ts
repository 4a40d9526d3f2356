import { nowMicros } from '../database/time.ts';
import type { TracesDatabase } from '../database/traces-database.ts';

/** The versions that a request creates, one in each dataset it writes to. */
export class NewVersions {
  readonly #db: TracesDatabase;
  /** The new versions in microseconds, by the key of the dataset. */
  readonly #begun = new Map<number, number>();
  /** How many examples each dataset has ever had. */
  readonly #counts = new Map<number, number>();

  constructor(db: TracesDatabase) {
    this.#db = db;
  }

  /** The last of these versions in microseconds, 0 when there is none. */
  get last(): number {
    return Math.max(0, ...this.#begun.values());
  }

  /** The new version of a dataset, in microseconds. It begins with the first call. */
  of(dataset: number): number {
    const version = this.#begun.get(dataset) ?? beginVersion(this.#db, dataset);
    this.#begun.set(dataset, version);
    return version;
  }

  /** Counts another example of a dataset. @returns the example's number in the dataset. */
  nextNumber(dataset: number): number {
    const number = (this.#counts.get(dataset) ?? countExamplesEver(this.#db, dataset)) + 1;
    this.#counts.set(dataset, number);
    return number;
  }
}

/** How many examples a dataset has or has had. */
export function countExamplesEver(db: TracesDatabase, dataset: number): number {
  const row = db
    .statement('SELECT count(DISTINCT id) AS n FROM example_versions WHERE dataset = ?')
    .get(dataset);
  return Number(row?.n ?? 0);
}

/** Starts a version, which is later than all previous ones even when they follow in quick succession. */
function beginVersion(db: TracesDatabase, dataset: number): number {
  const last = Number(
    db.statement('SELECT max(as_of) AS last FROM dataset_versions WHERE dataset = ?').get(dataset)?.last ?? 0,
  );
  const asOf = Math.max(nowMicros(), last + 1);
  db.statement('INSERT INTO dataset_versions (dataset, as_of) VALUES (?, ?)').run(dataset, asOf);
  db.statement('UPDATE datasets SET modified_at = ? WHERE key = ?').run(asOf, dataset);
  return asOf;
}
