import type { RawBuilder } from 'kysely';

/** A condition on rows of runs, in SQL. */
export type Condition = RawBuilder<boolean>;
