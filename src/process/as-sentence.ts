/** Adds a full stop to a text that has no punctuation at its end. */
export function asSentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
