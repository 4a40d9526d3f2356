import { type RawBuilder, sql } from 'kysely';
import { isLike } from '../../storage/dialect-expressions.ts';
import { isAmong } from '../../storage/is-among.ts';
import { type Condition, notTrue } from '../database/condition.ts';
import { type Comparison, FilterError, type Literal } from './filter-language.ts';

/**
 * Compiles `column op value`.
 * @param convert converts literals to the type of the column.
 * @throws FilterError for an operator that does not apply to the value.
 */
export function compareWith(
  column: RawBuilder<unknown>,
  { op, value, at }: Pick<Comparison, 'op' | 'value' | 'at'>,
  convert: (literal: Literal) => Literal = (literal) => literal,
): Condition {
  if (typeof value === 'object' && value !== null) {
    const among = isAmong(column, value.map(convert).map(asStored));
    if (op === 'in' || op === 'eq') return among;
    if (op === 'neq') return notTrue(among);
    throw new FilterError(`${op}() takes one value; use in() for a list`, at);
  }
  if (op === 'in') return isAmong(column, [asStored(convert(value))]);
  const single = asStored(convert(value));
  if (op === 'exists') return sql<boolean>`${column} is not null`;
  if (single === null) {
    refuseOrderOfNull({ op, at });
    return op === 'neq' ? sql<boolean>`${column} is not null` : sql<boolean>`${column} is null`;
  }
  switch (op) {
    case 'eq':
      return sql<boolean>`${column} = ${single}`;
    case 'neq':
      return sql<boolean>`${column} is distinct from ${single}`;
    case 'gt':
      return sql<boolean>`${column} > ${single}`;
    case 'gte':
      return sql<boolean>`${column} >= ${single}`;
    case 'lt':
      return sql<boolean>`${column} < ${single}`;
    case 'lte':
      return sql<boolean>`${column} <= ${single}`;
    case 'like':
      return isLike(column, checkPattern(String(single), at));
    case 'has':
    case 'search': {
      const pattern = checkPattern(`%${String(single).replace(/[\\%_]/g, '\\$&')}%`, at);
      return isLike(column, pattern, '\\');
    }
    default:
      throw new FilterError(`'${op}' cannot be used with this field`, at);
  }
}

/** Refuses an operator that compares null other than by equality. @throws FilterError */
export function refuseOrderOfNull({ op, at }: Pick<Comparison, 'op' | 'at'>): void {
  if (op !== 'eq' && op !== 'neq') throw new FilterError('null can only be compared with eq and neq', at);
}

/** The maximum size of a pattern: SQLite refuses longer ones. */
const MAX_PATTERN_BYTES = 50_000;

function checkPattern(pattern: string, at: number): string {
  if (Buffer.byteLength(pattern) <= MAX_PATTERN_BYTES) return pattern;
  throw new FilterError(`the search text is longer than ${MAX_PATTERN_BYTES} bytes`, at);
}

/** Converts a literal to its stored form: SQLite has no booleans. */
function asStored(literal: Literal): string | number | null {
  return typeof literal === 'boolean' ? Number(literal) : literal;
}

/** Converts a literal for a numeric column. @throws FilterError when it is not a number. */
export function toNumber(literal: Literal, { field, at }: Pick<Comparison, 'field' | 'at'>): number | null {
  if (literal === null) return null;
  const isBlank = typeof literal === 'string' && literal.trim() === '';
  const number = isBlank ? Number.NaN : Number(literal);
  if (Number.isFinite(number)) return number;
  throw new FilterError(`${field} must be compared with a number`, at);
}
