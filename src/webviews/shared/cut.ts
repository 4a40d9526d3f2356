/** A text of at most `length` characters, else its beginning with an ellipsis, without half a surrogate pair. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
