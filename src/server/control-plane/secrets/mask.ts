const MASKED = '***';
/** Shorter values are common words; masking them would make logs unreadable. */
const MIN_LENGTH = 4;

/**
 * Creates a function that removes secret values from text, as logs of CI systems do: whole, line by line, and in
 * the encodings in which they often reach a log.
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
  // Longest first, so that a shorter value does not break up a longer one.
  const ordered = [...forms].sort((a, b) => b.length - a.length);
  return (text) => ordered.reduce((masked, form) => masked.replaceAll(form, MASKED), text);
}
