/**
 * A name as part of a path, at most 120 characters long. A slash, which would begin another part, becomes a
 * similar character. The name may come from a model, so control characters and those that change the
 * direction of writing are removed, and broken characters are replaced.
 */
export function segment(name: string): string {
  const plain = name.toWellFormed().replace(/[\p{Cc}\p{Cf}]/gu, '');
  return [...plain.replaceAll('/', '∕').replaceAll('\\', '∖')].slice(0, 120).join('') || 'value';
}

/** A name as part of the path of a URL: the characters that would end the path, or escape others, are escaped. */
export function urlSegment(name: string): string {
  return segment(name).replace(/[?#%]/g, encodeURIComponent);
}
