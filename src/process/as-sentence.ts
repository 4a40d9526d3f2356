/** Adds a full stop to a text, unless it ends with punctuation, as after the command `pip install .`. */
export function asSentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
