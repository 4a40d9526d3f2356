import { joined, type Quote, quotesOf } from '../corpus/quotes.ts';
import { keyWordsOf, stemOf, stemsOf } from '../corpus/words.ts';
import type { Passage } from '../state.ts';

/** How many characters are quoted from the best passage, from the second best, and so on. */
const quoteLengths = [700, 300, 200];

/**
 * Answers a query in the words of the passages (best first): the sentences and lists that share most with the
 * query, in their own order, each passage's followed by its `[source]`.
 */
export function extractAnswer(query: string, passages: Passage[]): string {
  const wanted = stemsOfQuery(query);
  const [best] = passages;
  if (!best) return 'The documents say nothing about that.';

  const wordsIn = ({ heading, text }: Passage) => wordsShared(wanted, `${heading} ${text}`);
  return passages
    .filter((passage) => passage === best || (isAbout(wanted, passage) && wordsIn(passage) >= wordsIn(best)))
    .slice(0, quoteLengths.length)
    .map((passage, rank) => ({ passage, quotes: bestQuotes(wanted, passage, quoteLengths[rank] ?? 0) }))
    .filter(({ quotes }) => quotes.length > 0)
    .map(({ passage, quotes }) => `${joined(quotes)}${afterQuotes(quotes)}[${passage.source}]`)
    .join('\n\n');
}

/** What of a passage bears on a query, in about `length` characters. */
export function excerptOf(query: string, passage: Passage, length: number): string {
  return joined(bestQuotes(stemsOfQuery(query), passage, length));
}

/** The quotes of a passage that share most with the query, as many as `length` characters hold, at least one. */
function bestQuotes(wanted: Set<string>, passage: Passage, length: number): Quote[] {
  const quotes = quotesOf(passage.text);
  const ranked = quotes
    .map((quote, position) => {
      const previous = quotes[position - 1];
      const shared = wordsShared(wanted, quote.text);
      // A section on the subject opens by saying what it is.
      const opening = isAbout(wanted, passage) ? 1 / (1 + position) : 0;
      // What follows a sentence on the subject goes on about it.
      const following = previous?.block === quote.block && wordsShared(wanted, previous.text) > 0 ? 0.25 : 0;
      return { quote, position, score: shared + opening + following };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.position - b.position);

  let room = length;
  return ranked
    .filter(({ quote }, rank) => {
      const fits = rank === 0 || quote.text.length <= room;
      if (fits) room -= quote.text.length;
      return fits;
    })
    .sort((a, b) => a.position - b.position)
    .map(({ quote }) => quote);
}

/** A source follows a sentence, and is below a list, a table or code. */
function afterQuotes(quotes: Quote[]): string {
  return quotes.at(-1)?.kind === 'sentence' ? ' ' : '\n\n';
}

function stemsOfQuery(query: string): Set<string> {
  return new Set(keyWordsOf(query).map(stemOf));
}

/** Whether the heading right above a passage names something of the query. */
function isAbout(wanted: Set<string>, passage: Passage): boolean {
  return wordsShared(wanted, passage.heading.split(' › ').at(-1) ?? '') > 0;
}

function wordsShared(wanted: Set<string>, text: string): number {
  const stems = stemsOf(text);
  return [...wanted].filter((stem) => stems.has(stem)).length;
}
