import { mergeEnvironments } from '../../../process/merge-environments.ts';

/** The variable for the encoding of Python's standard streams. */
const VARIABLE = 'PYTHONIOENCODING';

/**
 * Adds the variable that makes Python write UTF-8, as the server expects. By default, Python writes to a pipe
 * in the encoding of the system, and a node that prints a character that this encoding lacks, such as ✓,
 * would fail.
 * @param env the other variables, which take precedence.
 */
export function inUtf8<Value extends string | undefined>(
  env: Readonly<Record<string, Value>>,
): Record<string, Value | string> {
  return mergeEnvironments<Value | string>([{ [VARIABLE]: 'utf-8:backslashreplace' }, env]);
}
