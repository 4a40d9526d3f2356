/**
 * The folders that programs are looked for in. The variable is `Path` on Windows, where `process.env` has it in any case,
 * but a copy of it has not.
 */
export function searchPathOf(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const name = Object.keys(env).find((key) => key.toUpperCase() === 'PATH');
  return env.PATH ?? (name === undefined ? undefined : env[name]);
}
