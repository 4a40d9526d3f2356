import { sql } from 'kysely';
import type { Condition } from '../database/condition.ts';

/**
 * The maximum number of matches that are looked up in an index, unless a query says otherwise; with more, the lookup
 * does not pay off.
 */
const MAX_FOUND = 2000;

/** Runs that match a condition, most recently stored first. */
export interface FoundRuns {
  readonly keys: readonly number[];
  /** Whether these are all matching runs. */
  readonly isAll: boolean;
}

/**
 * Narrows a query to runs that an index has found, instead of scanning the runs of a project until enough of them
 * match. It applies only to conditions that must all be true, not inside `or` and `not`.
 */
export class IndexLookup {
  readonly #newest: number | undefined;
  #isNarrow = false;
  #oldest: number | undefined;

  /**
   * @param newest how many of the most recently stored matches are enough when there are more. The caller must then
   * read `oldest`, and handle the runs before it. Without a number, the lookup is not used when there are too many
   * matches.
   */
  constructor(newest?: number) {
    this.#newest = newest;
  }

  /** The maximum number of matches that are worth looking up. */
  get maxFound(): number {
    return this.#newest ?? MAX_FOUND;
  }

  /** Whether an index has found the runs, so that only those are left to check. */
  get isNarrow(): boolean {
    return this.#isNarrow;
  }

  /** Runs stored before this one were not checked; `undefined` when all were. */
  get oldest(): number | undefined {
    return this.#oldest;
  }

  /** Decides whether a query may use only these runs. */
  accepts({ keys, isAll }: FoundRuns): boolean {
    if (!isAll && this.#newest === undefined) return false;
    this.#isNarrow = true;
    if (!isAll) this.#oldest = Math.max(this.#oldest ?? 0, keys.at(-1) ?? 0);
    return true;
  }
}

/**
 * The condition that a run is among those found by an index. @param find looks up the newest matches, up to the given
 * number; `undefined` when that is not worth it.
 * @param otherwise the condition when there are more matches than were found.
 */
export function amongFound(
  alias: string,
  lookup: IndexLookup | undefined,
  find: (limit: number) => FoundRuns | undefined,
  otherwise: () => Condition,
): Condition {
  const found = find(lookup?.maxFound ?? MAX_FOUND);
  if (found === undefined) return otherwise();
  if (lookup?.accepts(found) !== true && !found.isAll) return otherwise();
  return sql<boolean>`${sql.ref(`${alias}.key`)} in (select cast(value as bigint) from json_each(${JSON.stringify(found.keys)}))`;
}

/**
 * Returns the newest of the keys, each once. @param keys the keys in any order; more than `limit` if there are more
 * matches.
 */
export function newestOf(keys: readonly number[], limit: number): FoundRuns {
  const newest = [...new Set(keys)].sort((a, b) => b - a);
  return { keys: newest.slice(0, limit), isAll: newest.length <= limit };
}
