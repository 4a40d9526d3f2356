import { sql } from 'kysely';
import type { Condition, FilterScope } from './compile-filter.ts';

/** Of a frequent word the newest matches are looked at first. */
const NEWEST = 2000;

/**
 * Runs whose inputs or outputs hold all words of a text; the last letter may be `*`, for words that begin so.
 *
 * The interface to full-text search: another database answers this function its own way.
 */
export function wordsCondition(text: string, alias: string, scope: FilterScope): Condition {
  const words = text.match(/[\p{L}\p{N}_]+\*?/gu) ?? [];
  if (words.length === 0) return sql<boolean>`0`;
  const match = `${projects(scope)}text : (${words.map(quote).join(' AND ')})`;
  const run = sql.ref(`${alias}.key`);
  const { newest } = scope;
  if (newest.allowed && isFrequent(scope, match)) {
    newest.truncated = true;
    return sql<boolean>`${run} in (select rowid / 2 from runs_words where runs_words match ${match}
      order by rowid desc limit ${sql.lit(NEWEST)})`;
  }
  return sql<boolean>`${run} in (select rowid / 2 from runs_words where runs_words match ${match})`;
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

function isFrequent({ db }: FilterScope, match: string): boolean {
  const row = db
    .statement(
      `SELECT count(*) AS found FROM (SELECT 1 FROM runs_words WHERE runs_words MATCH ? LIMIT ${NEWEST + 1})`,
    )
    .get(match);
  return Number(row?.found ?? 0) > NEWEST;
}
