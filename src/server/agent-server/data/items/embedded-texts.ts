/**
 * The texts of an item that are embedded.
 * @param paths `$` for the whole value, `a.b`, `a[0]`, `a[-1]`, or `a[*].b` for every element.
 * @returns each text, and its path; if a path leads to several, they are numbered from `#0`.
 */
export function embeddedTexts(value: unknown, paths: readonly string[]): { field: string; text: string }[] {
  return paths.flatMap((path) => {
    if (path === '$') return [{ field: path, text: JSON.stringify(value) }];
    const found = follow(value, steps(path)).filter((part) => part !== undefined && part !== null);
    return found.map((part, at) => ({
      field: found.length === 1 ? path : `${path}#${at}`,
      text: typeof part === 'string' ? part : JSON.stringify(part),
    }));
  });
}

function steps(path: string): string[] {
  return [...path.matchAll(/([^.[\]]+)|\[([^\]]*)\]/g)].map(([, name, index]) =>
    index === undefined ? (name ?? '') : `[${index}]`,
  );
}

function follow(at: unknown, [step, ...rest]: readonly string[]): unknown[] {
  if (step === undefined) return [at];
  if (typeof at !== 'object' || at === null) return [];
  if (step.startsWith('[')) {
    if (!Array.isArray(at)) return [];
    const index = step.slice(1, -1);
    if (index === '*') return at.flatMap((part) => follow(part, rest));
    return /^-?\d+$/.test(index) ? follow(at.at(Number(index)), rest) : [];
  }
  return Object.hasOwn(at, step) ? follow(Reflect.get(at, step), rest) : [];
}
