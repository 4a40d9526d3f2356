/** The character that PostgreSQL cannot store in text, and its replacement. */
const NUL = '\u0000';
const REPLACEMENT = '\ufffd';

/** A text that PostgreSQL can store and compare. JSON keeps its own escape for the character. */
export function storableText(text: string): string {
  return text.includes(NUL) ? text.replaceAll(NUL, REPLACEMENT) : text;
}
