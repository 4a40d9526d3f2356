/** An incomplete link or picture at the end of a text. */
const HALF_LINK = /!?\[[^[\]\n]{0,200}(?:\](?:\([^()\n]{0,2000})?)?$|(?<=\s)!$/;
/** The beginning of the line that ends a block of code. */
const HALF_FENCE = /\n {0,3}(?:`{1,2}|~{1,2})$/;

/** A paragraph, a list or the like that is still being written, without an incomplete link. */
export function withoutHalfLink(text: string): string {
  const line = text.slice(text.lastIndexOf('\n') + 1);
  // In code it is not a link.
  return (line.split('`').length - 1) % 2 === 1 ? text : text.replace(HALF_LINK, '');
}

/** A block of code that is still being written, without what may be its closing fence. */
export function withoutHalfFence(text: string): string {
  return text.replace(HALF_FENCE, '');
}
