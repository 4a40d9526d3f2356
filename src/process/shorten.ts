/**
 * A string that is short enough to report; a longer one is cut, and ends with how much was left out.
 * @param maxChars the length of the text that is kept, without this note
 */
export function shorten(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  // A slice of a string would keep the whole string in memory; a copy does not.
  const beginning = Buffer.from(text.slice(0, maxChars)).toString();
  return `${beginning} … (${text.length - maxChars} more characters)`;
}
