import { sql } from 'kysely';
import { invalid } from '../../http/errors.ts';
import type { Condition } from './condition.ts';
import type { FilterScope } from './filter-scope.ts';
import { amongFound, type FoundRuns, newestOf } from './index-lookup.ts';
import { splitWords } from './split-words.ts';

/** The limits of one search. */
const MAX_WORDS = 500;
const MAX_LENGTH = 20_000;

/**
 * Runs whose inputs or outputs, or one of these, hold all words of a text; the last letter may be `*`, for words that begin so.
 * Characters that join letters and digits in a name (`get_weather`, `a-b`) separate words, here as in the index.
 *
 * The interface to full-text search: another database answers this function its own way.
 * @throws HttpError 422 for too many words.
 */
export function wordsCondition(
  text: string,
  alias: string,
  scope: FilterScope,
  side?: 'inputs' | 'outputs',
): Condition {
  const words = searchTerms(scope, text);
  if (words.length === 0) return sql<boolean>`0`;
  const match = `${projects(scope)}text : (${words.join(' AND ')})`;
  return amongFound(
    alias,
    scope.lookup,
    (limit) => findRuns(scope, match, side, limit),
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

/** The words of a text as the index is queried for them, each once; a word before `*` is a prefix. */
function searchTerms({ db }: FilterScope, text: string): string[] {
  const tooLong = () => invalid(['body', 'query'], `Search for at most ${MAX_WORDS} words.`, 'too_long');
  if (text.length > MAX_LENGTH) throw tooLong();
  const terms = new Set<string>();
  for (const piece of text.split(/\s+|(?<=\*)/)) {
    const words = splitWords(db, piece);
    const beginning = piece.endsWith('*') ? words.pop() : undefined;
    for (const word of words) terms.add(`"${word}"`);
    if (beginning !== undefined) terms.add(`"${beginning}"*`);
    if (terms.size > MAX_WORDS) throw tooLong();
  }
  return [...terms];
}

function ofSide(side: 'inputs' | 'outputs' | undefined): string {
  return side === undefined ? '' : `AND rowid % 2 = ${side === 'inputs' ? 0 : 1}`;
}

/** A run has two rows in the index, for its inputs and its outputs. */
function findRuns(
  { db }: FilterScope,
  match: string,
  side: 'inputs' | 'outputs' | undefined,
  limit: number,
): FoundRuns {
  const rows = db
    .statement(
      `SELECT rowid / 2 AS run FROM runs_words WHERE runs_words MATCH ? ${ofSide(side)}
       ORDER BY rowid DESC LIMIT ?`,
    )
    .all(match, 2 * limit + 1);
  return newestOf(
    rows.map(({ run }) => Number(run)),
    limit,
  );
}
