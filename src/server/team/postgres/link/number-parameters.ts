/** Converts a statement to PostgreSQL's form: `?` and `?1` become `$1`, outside of strings. */
export function numberParameters(sql: string): string {
  let next = 0;
  return sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\?(\d*)/g, (found, number: string | undefined) => {
    if (!found.startsWith('?')) return found;
    return `$${number === '' || number === undefined ? ++next : number}`;
  });
}
