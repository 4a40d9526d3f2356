import { stripVTControlCharacters } from 'node:util';

/**
 * Control characters except line feeds and tabs, and characters that reorder the text around them.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed
export const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
const REORDERS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Removes escape sequences and control characters from the text of platforms, models and tools. */
export function printable(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\r\n?/g, '\n')
    .replace(REORDERS, '\ufffd')
    .replace(CONTROLS, '');
}
