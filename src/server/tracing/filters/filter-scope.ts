import type { TracesDatabase } from '../database/traces-database.ts';
import type { Literal } from './filter-language.ts';
import type { IndexLookup } from './index-lookup.ts';

/** The scope that a filter is compiled for. */
export interface FilterScope {
  readonly db: TracesDatabase;
  readonly workspace: number;
  /** The projects of the query; all when undefined. */
  readonly sessions: readonly number[] | undefined;
  /** Whether feedback may be used: people who read through a link must not see it. */
  readonly withFeedback: boolean;
  /** Undefined if the condition need not be true for every run that is found. */
  readonly lookup: IndexLookup | undefined;
}

/** A comparison: `op(field, value)`. */
export interface Comparison {
  readonly op: string;
  readonly field: string;
  readonly value: Literal | readonly Literal[];
  readonly at: number;
}
