/**
 * Formats a value for an env file, in quotes if necessary. `${NAME}` cannot be escaped, and is replaced when
 * read.
 */
export function envValue(value: string): string {
  if (!/[\s#'"\\]/.test(value)) return value;
  const escaped = value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
  return `"${escaped.replaceAll('\r', '\\r')}"`;
}

/** The position of the first empty value in an env file; if there is none, the beginning of the file. */
export function firstEmptyValue(text: string): { readonly line: number; readonly character: number } {
  const lines = text.split(/\r?\n/);
  const line = lines.findIndex((one) => /^\s*[A-Za-z_]\w*\s*=\s*$/.test(one));
  return line < 0 ? { line: 0, character: 0 } : { line, character: lines[line]?.trimEnd().length ?? 0 };
}

/**
 * Sets variables in the text of an env file: in the line that lists the variable without a value, or else at
 * the end of the text.
 */
export function withValues(text: string, values: Readonly<Record<string, string>>): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  let changed = text;
  for (const [name, value] of Object.entries(values)) {
    const assignment = `${name}=${envValue(value)}`;
    const empty = new RegExp(
      String.raw`^(?<before>[^\S\n]*(?:export[^\S\n]+)?)${name.replace(/\W/g, '\\$&')}[^\S\n]*=[^\S\n]*(?:""|'')?[^\S\r\n]*(?=\r?$)`,
      'm',
    );
    const isListed = empty.test(changed);
    const gap = changed === '' || changed.endsWith('\n') ? '' : eol;
    changed = isListed
      ? changed.replace(empty, (_, before: string) => `${before}${assignment}`)
      : `${changed}${gap}${assignment}${eol}`;
  }
  return changed;
}
