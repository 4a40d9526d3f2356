const MASKED = '***';
/** Shorter values are not masked, because they are often common words. */
const MIN_LENGTH = 4;

/**
 * Creates a function that replaces secret values in text with `***`: whole values, their single lines, and both as JSON,
 * percent-encoded and in Base64.
 */
export function maskOf(values: Iterable<string>): (text: string) => string {
  const forms = new Set<string>();
  for (const value of values) {
    for (const part of [value, ...value.split(/\r?\n/)]) {
      if (part.trim().length < MIN_LENGTH) continue;
      forms.add(part);
      forms.add(JSON.stringify(part).slice(1, -1));
      forms.add(encodeURIComponent(part));
      forms.add(Buffer.from(part).toString('base64'));
    }
  }
  // Longer values are replaced first, so that a shorter value does not break up a longer one.
  const ordered = [...forms].sort((a, b) => b.length - a.length);
  return (text) => ordered.reduce((masked, form) => masked.replaceAll(form, MASKED), text);
}
