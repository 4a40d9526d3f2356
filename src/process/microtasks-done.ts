/**
 * Waits until the queued microtasks are done. Call it from a microtask, as after an `await`: Node then runs the
 * next tick when its queue of microtasks is empty.
 */
export function microtasksDone(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
