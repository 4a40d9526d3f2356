/** The character that no text of PostgreSQL can have, and its replacement. */
const NUL = '\u0000';
const REPLACEMENT = '\ufffd';

/** A text as PostgreSQL can keep and compare it. JSON keeps its own sign for the character. */
export function storableText(text: string): string {
  return text.includes(NUL) ? text.replaceAll(NUL, REPLACEMENT) : text;
}
