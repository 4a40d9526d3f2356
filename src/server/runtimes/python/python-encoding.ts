/** The variables that decide the encoding of Python's output; the server reads UTF-8. */
const VARIABLE = 'PYTHONIOENCODING';

/**
 * The variables of a Python whose output the server reads. To a pipe, Python writes in the system's code page (Windows)
 * or the locale's encoding, and fails for characters that it lacks, such as ✓: a node that prints one would fail.
 * @param env the other variables, which take precedence.
 */
export function inUtf8<Value extends string | undefined>(
  env: Readonly<Record<string, Value>>,
): Record<string, Value | string> {
  return { [VARIABLE]: 'utf-8:backslashreplace', ...env };
}
