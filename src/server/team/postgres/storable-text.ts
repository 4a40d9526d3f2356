/** The only character that PostgreSQL cannot store in text, and its replacement. */
const NUL = '\u0000';
const REPLACEMENT = '\ufffd';

/** Makes a text storable and comparable in PostgreSQL. In JSON, the character keeps its escape. */
export function storableText(text: string): string {
  return text.includes(NUL) ? text.replaceAll(NUL, REPLACEMENT) : text;
}
