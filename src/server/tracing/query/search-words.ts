import { sql } from 'kysely';
import type { Condition, FilterScope } from './compile-filter.ts';
import { amongFound, type FoundRuns, newestOf } from './narrowing.ts';

/**
 * Runs whose inputs or outputs, or one of these, hold all words of a text; the last letter may be `*`, for words that begin so.
 *
 * The interface to full-text search: another database answers this function its own way.
 */
export function wordsCondition(
  text: string,
  alias: string,
  scope: FilterScope,
  side?: 'inputs' | 'outputs',
): Condition {
  const words = text.match(/[\p{L}\p{N}_]+\*?/gu) ?? [];
  if (words.length === 0) return sql<boolean>`0`;
  const match = `${projects(scope)}text : (${words.map(quote).join(' AND ')})`;
  return amongFound(
    alias,
    scope.narrowing,
    (most) => findRuns(scope, match, side, most),
    () =>
      sql<boolean>`${sql.ref(`${alias}.key`)} in (select rowid / 2 from runs_words where runs_words match ${match}
        ${sql.raw(ofSide(side))})`,
  );
}

/** The projects of a query are words too, so that one project's matches are found among those of many. */
export function projectWord(session: number): string {
  return `p${session}`;
}

function projects({ sessions }: FilterScope): string {
  if (sessions === undefined || sessions.length === 0 || sessions.length > 20) return '';
  return `project : (${sessions.map(projectWord).join(' OR ')}) AND `;
}

function quote(word: string): string {
  return word.endsWith('*') ? `"${word.slice(0, -1)}"*` : `"${word}"`;
}

function ofSide(side: 'inputs' | 'outputs' | undefined): string {
  return side === undefined ? '' : `AND rowid % 2 = ${side === 'inputs' ? 0 : 1}`;
}

/** A run has two rows in the index, for its inputs and its outputs. */
function findRuns(
  { db }: FilterScope,
  match: string,
  side: 'inputs' | 'outputs' | undefined,
  most: number,
): FoundRuns {
  const rows = db
    .statement(
      `SELECT rowid / 2 AS run FROM runs_words WHERE runs_words MATCH ? ${ofSide(side)}
       ORDER BY rowid DESC LIMIT ?`,
    )
    .all(match, 2 * most + 1);
  return newestOf(
    rows.map(({ run }) => Number(run)),
    most,
  );
}
