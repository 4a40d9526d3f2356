import { stemmer } from 'stemmer';

/** Words that say nothing about what a question is about. */
const stopWords = new Set(
  (
    'a about after again all also am an and any anything are as at be because been before between but by can cannot could did ' +
    'difference different do does doing done else ever every for from get gets give go had happen happened happens has have having hello ' +
    'help hey hi how i if in into is it its just know let like long make may me mean means more much must my need no ' +
    'not of off on one or our out please same say see shall she should show so some still such take takes tell than thank thanks ' +
    'that the their them then there these they thing things this those to too up us use used using very want was way ' +
    'we were what when where whether which while who whom whose why will with without work works would you your'
  ).split(' '),
);

/** The words of a text, in lower case and in order. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The words of a text that carry its meaning. */
export function keyWordsOf(text: string): string[] {
  return wordsOf(text).filter((word) => !stopWords.has(word));
}

/** The form under which "purge", "purges" and "purging" are the same word. */
export function stemOf(word: string): string {
  return stemmer(word);
}

/** The stems of a text. */
export function stemsOf(text: string): Set<string> {
  return new Set(wordsOf(text).map(stemOf));
}
