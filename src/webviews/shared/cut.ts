/** The beginning of a text, at most `length` characters, without half a surrogate pair at its end. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
}
