/** The variables that decide the encoding of Python's output; the server reads UTF-8. */
const VARIABLE = 'PYTHONIOENCODING';

/**
 * The variables of a Python whose output the server reads. Into a pipe, Python writes in the code page of the
 * system (Windows) or the encoding of the locale, and refuses letters that it lacks, such as ✓: a node that prints
 * one would fail.
 * @param env the given ones, which take precedence.
 */
export function inUtf8<Value extends string | undefined>(
  env: Readonly<Record<string, Value>>,
): Record<string, Value | string> {
  return { [VARIABLE]: 'utf-8:backslashreplace', ...env };
}
