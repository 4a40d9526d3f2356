import { randomInt } from 'node:crypto';
import { stripVTControlCharacters } from 'node:util';
import picocolors from 'picocolors';

const FORMATS = ['bold', 'dim', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan'] as const;

/** Functions that give a text a color or weight. */
export type Colors = Readonly<Record<(typeof FORMATS)[number], (text: string) => string>>;

/** Stands in the color codes of this process, which thereby differ from any that a text brings along. */
const mark = `${randomInt(1_000, 10_000)};${randomInt(1_000, 10_000)};`;
const marked = new RegExp(`(\u001b\\[)${mark}(\\d+m)`);

/**
 * Control characters besides line breaks and tabs, and those that display text in another order than it was
 * written.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not come through
export const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
const REORDERS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Removes escape sequences and control characters from the text of platforms, models and tools. */
export function printable(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\r\n?/g, '\n')
    .replace(REORDERS, '\ufffd')
    .replace(CONTROLS, '');
}

/** @param areShown false for formats that leave a text unchanged. */
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

/** A text for a terminal: printable, with the formats of `makeColors`. */
export function cleanText(text: string): string {
  // Splitting by a pattern with two groups gives a piece of text, the groups, a piece of text, and so on.
  return text
    .split(marked)
    .map((piece, at) => (at % 3 === 0 ? printable(piece) : piece))
    .join('');
}
