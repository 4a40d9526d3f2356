/** A link, or the picture of one, whose end has not come, at the end of a text. */
const HALF_LINK = /!?\[[^[\]\n]{0,200}(?:\](?:\([^()\n]{0,2000})?)?$|(?<=\s)!$/;
/** The beginning of the line that ends a block of code. */
const HALF_FENCE = /\n {0,3}(?:`{1,2}|~{1,2})$/;

/** A paragraph, a list or the like that is still being written, without a link that has only begun. */
export function withoutHalfLink(text: string): string {
  const line = text.slice(text.lastIndexOf('\n') + 1);
  // In code it is none.
  return (line.split('`').length - 1) % 2 === 1 ? text : text.replace(HALF_LINK, '');
}

/** A block of code that is still being written, without what may be its end. */
export function withoutHalfFence(text: string): string {
  return text.replace(HALF_FENCE, '');
}
