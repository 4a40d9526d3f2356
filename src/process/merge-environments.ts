/**
 * Merges environments as the platform does; later ones take precedence. On Windows, names ignore case, but objects do not:
 * of `PATH` and `Path`, a program would get either.
 */
export function mergeEnvironments<Value extends string | undefined>(
  environments: readonly Readonly<Record<string, Value>>[],
  platform: NodeJS.Platform = process.platform,
): Record<string, Value> {
  const merged = new Map<string, [name: string, value: Value]>();
  for (const environment of environments)
    for (const [name, value] of Object.entries(environment))
      merged.set(platform === 'win32' ? name.toUpperCase() : name, [name, value]);
  return Object.fromEntries(merged.values());
}
