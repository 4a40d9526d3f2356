/** An incomplete link or picture at the end of a text. */
const HALF_LINK = /!?\[[^[\]\n]{0,200}(?:\](?:\([^()\n]{0,2000})?)?$|(?<=\s)!$/;
/** The beginning of a closing fence at the end of a text. */
const HALF_FENCE = /\n {0,3}(?:`{1,2}|~{1,2})$/;

/** Removes an incomplete link from the end of a block that is still being written. */
export function withoutHalfLink(text: string): string {
  const line = text.slice(text.lastIndexOf('\n') + 1);
  // Inside inline code, brackets are not a link.
  return (line.split('`').length - 1) % 2 === 1 ? text : text.replace(HALF_LINK, '');
}

/** Removes the beginning of a closing fence from a block of code that is still being written. */
export function withoutHalfFence(text: string): string {
  return text.replace(HALF_FENCE, '');
}
