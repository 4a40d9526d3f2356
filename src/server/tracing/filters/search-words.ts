import { sql } from 'kysely';
import { invalid } from '../../http/errors.ts';
import type { Condition } from '../database/condition.ts';
import type { SearchedWords } from '../database/text-index.ts';
import type { FilterScope } from './filter-scope.ts';
import { amongFound, newestOf } from './index-lookup.ts';

/** The limits for a search, in words and in characters. */
const MAX_WORDS = 500;
const MAX_LENGTH = 20_000;

/**
 * The condition for runs whose inputs or outputs (only one of them if `side` is given) contain all words of a text; a
 * final `*` matches words with that beginning. Characters that join letters and digits in a name (`get_weather`, `a-b`)
 * separate words, as in the index.
 * @throws HttpError 422 for too many words.
 */
export function wordsCondition(
  text: string,
  alias: string,
  scope: FilterScope,
  side?: 'inputs' | 'outputs',
): Condition {
  const terms = searchTerms(scope, text);
  if (terms.length === 0) return sql<boolean>`false`;
  const { textIndex } = scope.db;
  const searched = { terms, sessions: scope.sessions, side };
  return amongFound(
    alias,
    scope.lookup,
    // A run has two rows in the index, one for its inputs and one for its outputs.
    (limit) => newestOf(textIndex.find(searched, 2 * limit + 1), limit),
    () => textIndex.condition(alias, searched),
  );
}

/** The words of a text for an index query, each once; a word before `*` is a prefix. */
function searchTerms({ db }: FilterScope, text: string): SearchedWords['terms'] {
  const tooLong = () => invalid(['body', 'query'], `Search for at most ${MAX_WORDS} words.`, 'too_long');
  if (text.length > MAX_LENGTH) throw tooLong();
  const terms = new Map<string, { word: string; isPrefix: boolean }>();
  const add = (word: string, isPrefix: boolean) =>
    terms.set(`${word}${isPrefix ? '*' : ''}`, { word, isPrefix });
  for (const piece of text.split(/\s+|(?<=\*)/)) {
    const words = db.textIndex.split(piece);
    const beginning = piece.endsWith('*') ? words.pop() : undefined;
    for (const word of words) add(word, false);
    if (beginning !== undefined) add(beginning, true);
    if (terms.size > MAX_WORDS) throw tooLong();
  }
  return [...terms.values()];
}
