import { type RawBuilder, sql } from 'kysely';

/** A condition on rows of runs, in SQL. */
export type Condition = RawBuilder<boolean>;

/** The opposite of a condition. In SQL, `not null` is null, but here rows without the field match too. */
export function notTrue(condition: Condition): Condition {
  return sql<boolean>`not coalesce(${condition}, false)`;
}
