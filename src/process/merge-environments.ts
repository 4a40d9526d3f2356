/**
 * Merges environments by the rules of the operating system; later ones take precedence. Windows ignores the
 * case of names, but objects do not: given both `PATH` and `Path`, a program would get one of them by chance.
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
