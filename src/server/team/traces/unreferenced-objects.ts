import type { BackgroundWork } from '../../tracing/database/background-work.ts';
import type { OperationsOf } from '../../tracing/database/operations.ts';
import type { TracesDatabase } from '../../tracing/database/traces-database.ts';

/**
 * The longest time that an upload may take. An object that has no payload after that is left over from a refused
 * request or a crash.
 */
const UPLOADED_WITHIN = '1 hour';
/** How long a server has to remove the objects that it has claimed, before others try. */
const CLAIM_MS = 60_000;
const CLAIMED_AT_ONCE = 100;
/** The minimum interval between two checks, however often the work is advanced. */
const LOOK_MS = 250;

interface Context {
  readonly db: TracesDatabase;
  readonly loose: UnreferencedObjects;
}

/**
 * Records objects before they are uploaded, so that none is forgotten: storing a payload takes its object off this
 * list, and deleting it puts the object back.
 */
function reserveObjects({ db }: Context, { names }: { readonly names: readonly string[] }): void {
  for (const name of names)
    db.statement(
      `INSERT INTO loose_objects (name, due) VALUES (?, clock_timestamp() + interval '${UPLOADED_WITHIN}')`,
    ).run(name);
}

/** Completes a removal. @param names the objects that the store no longer has. */
function forgetObjects({ db, loose }: Context, { names }: { readonly names: readonly string[] }): void {
  db.statement('DELETE FROM loose_objects WHERE name = ANY (?::text[]) AND doomed_at IS NOT NULL').run(names);
  loose.endRemoval();
}

export const objectOperations = { reserveObjects, forgetObjects };

/** The operations with the signatures that callers see. */
export type ObjectOperations = OperationsOf<typeof objectOperations, Context>;

/** Looks for objects to remove. Any server that can use the store does so. */
export class UnreferencedObjects implements BackgroundWork {
  readonly isOfEachServer = true;
  readonly #db: TracesDatabase;
  readonly #remove: (names: readonly string[]) => void;
  /** When to check next: later than other servers while this one is removing the objects that it has claimed. */
  #next = 0;

  /** @param remove removes objects, and calls `forgetObjects` at the end. */
  constructor(db: TracesDatabase, remove: (names: readonly string[]) => void) {
    this.#db = db;
    this.#remove = remove;
  }

  advance(): boolean {
    if (performance.now() < this.#next) return false;
    this.#next = performance.now() + LOOK_MS;
    const due = this.#db.statement('SELECT 1 FROM loose_objects WHERE due <= clock_timestamp() LIMIT 1');
    if (due.get() === undefined) return false;
    // Payloads are stored in writing transactions too, so from here on, no payload can use these objects.
    const claimed = this.#db.transaction(() =>
      this.#db
        .statement(
          `UPDATE loose_objects SET due = clock_timestamp() + interval '${CLAIM_MS} milliseconds',
             doomed_at = coalesce(doomed_at, clock_timestamp())
           WHERE name IN (SELECT name FROM loose_objects WHERE due <= clock_timestamp() ORDER BY due LIMIT ${CLAIMED_AT_ONCE})
           RETURNING name`,
        )
        .all()
        .map(({ name }) => String(name)),
    );
    if (claimed.length === 0) return false;
    this.#next = performance.now() + CLAIM_MS;
    this.#remove(claimed);
    return false;
  }

  dueAt(): number {
    const row = this.#db
      .statement('SELECT (extract(epoch FROM min(due)) * 1000000)::bigint AS at FROM loose_objects')
      .get();
    return Number(row?.at ?? Number.POSITIVE_INFINITY);
  }

  /** Called when the claimed objects are removed, or cannot be removed: the next check may begin. */
  endRemoval(): void {
    this.#next = 0;
  }
}
