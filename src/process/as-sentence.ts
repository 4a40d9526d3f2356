/**
 * Adds a full stop to a text, unless it ends with `.`, `?` or `!`, as a text with `pip install .` at its end
 * does.
 */
export function asSentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
