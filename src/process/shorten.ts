/** The beginning of a text that is too long to be told, and how much more there was. */
export function shorten(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  // A part of a string keeps the whole of it in memory; a copy does not.
  const beginning = Buffer.from(text.slice(0, maxChars)).toString();
  return `${beginning} … (${text.length - maxChars} more characters)`;
}
