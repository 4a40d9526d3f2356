/**
 * The folders that are searched for programs. On Windows the variable is `Path`: `process.env` finds it in upper or
 * lower case, but a copy does not.
 */
export function searchPathOf(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const name = Object.keys(env).find((key) => key.toUpperCase() === 'PATH');
  return env.PATH ?? (name === undefined ? undefined : env[name]);
}
