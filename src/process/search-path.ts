/**
 * The value of `PATH` in an environment. On Windows, the variable is called `Path`; `process.env` ignores case, but a
 * copy of it does not.
 */
export function searchPathOf(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const name = Object.keys(env).find((key) => key.toUpperCase() === 'PATH');
  return env.PATH ?? (name === undefined ? undefined : env[name]);
}
