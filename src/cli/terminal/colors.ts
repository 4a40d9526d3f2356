import { randomInt } from 'node:crypto';
import picocolors from 'picocolors';
import { printable } from './printable.ts';

const FORMATS = ['bold', 'dim', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan'] as const;

/** Functions that give a text a color or weight. */
export type Colors = Readonly<Record<(typeof FORMATS)[number], (text: string) => string>>;

/** Marks the color codes of this process, to distinguish them from codes in other programs' text. */
const mark = `${randomInt(1_000, 10_000)};${randomInt(1_000, 10_000)};`;
const marked = new RegExp(`(\u001b\\[)${mark}(\\d+m)`);

/** @param areShown if false, the functions leave text unchanged */
export function makeColors(areShown: boolean): Colors {
  const codes = picocolors.createColors(areShown);
  const format = (name: (typeof FORMATS)[number]) => (text: string) =>
    areShown ? codes[name](cleanText(text)).replaceAll('\u001b[', `\u001b[${mark}`) : text;
  return {
    bold: format('bold'),
    dim: format('dim'),
    red: format('red'),
    green: format('green'),
    yellow: format('yellow'),
    blue: format('blue'),
    magenta: format('magenta'),
    cyan: format('cyan'),
  };
}

/** Removes control characters from a text, except for the formats of `makeColors`. */
export function cleanText(text: string): string {
  // Splitting by a pattern with two groups gives a piece of text, the groups, a piece of text, and so on.
  return text
    .split(marked)
    .map((piece, at) => (at % 3 === 0 ? printable(piece) : piece))
    .join('');
}
