import type { TracesDatabase } from '../database/traces-database.ts';
import type { IndexLookup } from './index-lookup.ts';

/** The scope that a filter is compiled for. */
export interface FilterScope {
  readonly db: TracesDatabase;
  readonly workspace: number;
  /** The projects of the query; all when undefined. */
  readonly sessions: readonly number[] | undefined;
  /** Whether feedback may be used: people who read through a link must not see it. */
  readonly withFeedback: boolean;
  /** Undefined inside `or` and `not`, where runs may match without this condition. */
  readonly lookup: IndexLookup | undefined;
}
