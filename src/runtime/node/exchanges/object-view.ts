/** A view of an object with some members replaced. All other methods are called on the object itself. */
export function viewWith(object: object, replaced: Readonly<Record<string, unknown>>): object {
  return new Proxy(object, {
    get(target, key) {
      if (typeof key === 'string' && Object.hasOwn(replaced, key)) return replaced[key];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
