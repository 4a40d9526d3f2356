/** A day: longer than any start takes, and well within the 24 days that a timer of Node can wait. */
const MAX_SECONDS = 86_400;

/**
 * Reads a variable with a number of seconds.
 * @returns undefined when the variable is missing or empty
 * @throws Error that names the variable, unless it is a number above 0 and up to `MAX_SECONDS`
 */
export function readSeconds(
  variable: string,
  environment: Readonly<Record<string, string | undefined>>,
): number | undefined {
  const text = environment[variable];
  if (text === undefined || text === '') return undefined;
  const seconds = Number(text);
  if (seconds > 0 && seconds <= MAX_SECONDS) return seconds;
  throw new Error(
    `${variable} must be a number of seconds above 0 and up to ${MAX_SECONDS}, such as 90, not '${text}'.`,
  );
}
