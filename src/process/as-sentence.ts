/** Adds a full stop to a text, unless it ends with `.`, `?` or `!`: after `pip install .`, none is added. */
export function asSentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
