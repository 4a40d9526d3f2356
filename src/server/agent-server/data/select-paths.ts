import { isObject } from '../../../process/objects.ts';

/**
 * Reads a path such as `values.messages[-1].content`; a negative index counts from the end.
 * @returns undefined for a path that does not exist.
 */
export function readPath(document: unknown, path: string): unknown {
  let at: unknown = document;
  for (const [, name, index] of path.matchAll(/([^.[\]]+)|\[(-?\d+)\]/g)) {
    if (at === null || typeof at !== 'object') return undefined;
    if (index !== undefined) at = Array.isArray(at) ? at.at(Number(index)) : undefined;
    else at = name !== undefined && Object.hasOwn(at, name) ? Reflect.get(at, name) : undefined;
  }
  return at;
}

/**
 * A copy of a document with only the fields that the paths name. A path with an index selects the whole
 * array.
 */
export function selectPaths(document: object, paths: readonly string[]): object {
  const copy: Record<string, unknown> = {};
  for (const path of paths) {
    const keys = path.replace(/\[.*$/, '').split('.');
    const value = readPath(document, keys.join('.'));
    if (value === undefined) continue;
    let at = copy;
    for (const key of keys.slice(0, -1)) {
      const next = Object.hasOwn(at, key) ? at[key] : undefined;
      const inner: Record<string, unknown> = isObject(next) ? next : {};
      setOwn(at, key, inner);
      at = inner;
    }
    const last = keys.at(-1);
    if (last !== undefined) setOwn(at, last, value);
  }
  return copy;
}

/** Sets a field of an object. An assignment to `__proto__` would set its prototype instead. */
function setOwn(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}
