/** Whether a value is a function and not a class, so that it can be called without `new`. */
export function isPlainFunction(value: unknown): value is (...args: unknown[]) => unknown {
  return typeof value === 'function' && !/^class\b/.test(Function.prototype.toString.call(value));
}
