/**
 * Whether a handler has the methods of undici 7, `onRequestStart`, `onResponseStart` and so on, through which
 * undici passes a response to its caller. Version 7 still supports the earlier ones: `onConnect`, `onHeaders`
 * and so on.
 */
export function isModern(handler: object): boolean {
  return 'onRequestStart' in handler;
}

/** Calls a method if there is one. */
export function call(object: object, name: string, ...args: unknown[]): unknown {
  const method: unknown = Reflect.get(object, name);
  return typeof method === 'function' ? Reflect.apply(method, object, args) : undefined;
}
