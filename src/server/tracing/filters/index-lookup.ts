import { sql } from 'kysely';
import type { Condition } from '../database/condition.ts';

/** The most matches that are looked up first, unless a query says otherwise; with more, the lookup does not pay off. */
const MAX_FOUND = 2000;

/** Runs that match something, newest first as they were stored. */
export interface FoundRuns {
  readonly keys: readonly number[];
  /** Whether these are all. */
  readonly isAll: boolean;
}

/**
 * How a query is narrowed to runs that an index has found beforehand, instead of walking through the runs of a project
 * until enough of them match. It is for conditions that all must hold: inside of `or` and `not` there is none.
 */
export class IndexLookup {
  readonly #newest: number | undefined;
  #isNarrow = false;
  #oldest: number | undefined;

  /** @param newest of what matches often, only so many are looked at; the caller then goes by `oldest`. */
  constructor(newest?: number) {
    this.#newest = newest;
  }

  /** How many matches are worth looking up. */
  get most(): number {
    return this.#newest ?? MAX_FOUND;
  }

  /** Whether few runs are left to look at. */
  get isNarrow(): boolean {
    return this.#isNarrow;
  }

  /** Runs stored before this one were not looked at; `undefined` when all were. */
  get oldest(): number | undefined {
    return this.#oldest;
  }

  /** @returns whether a query may go by these runs alone. */
  accepts({ keys, isAll }: FoundRuns): boolean {
    if (!isAll && this.#newest === undefined) return false;
    this.#isNarrow = true;
    if (!isAll) this.#oldest = Math.max(this.#oldest ?? 0, keys.at(-1) ?? 0);
    return true;
  }
}

/**
 * The condition that a run is among those that an index finds.
 * @param find looks up the newest matches, so many at most; `undefined` when that is not worth it.
 * @param otherwise holds for all that match, when more do than were found.
 */
export function amongFound(
  alias: string,
  lookup: IndexLookup | undefined,
  find: (limit: number) => FoundRuns | undefined,
  otherwise: () => Condition,
): Condition {
  const found = find(lookup?.most ?? MAX_FOUND);
  if (found === undefined) return otherwise();
  if (lookup?.accepts(found) !== true && !found.isAll) return otherwise();
  return sql<boolean>`${sql.ref(`${alias}.key`)} in (select cast(value as bigint) from json_each(${JSON.stringify(found.keys)}))`;
}

/** The newest of the keys, each once. @param keys in any order, one more than `most` when there are more. */
export function newestOf(keys: readonly number[], limit: number): FoundRuns {
  const newest = [...new Set(keys)].sort((a, b) => b - a);
  return { keys: newest.slice(0, limit), isAll: newest.length <= limit };
}
