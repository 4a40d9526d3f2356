/** Waits until all queued microtasks are done: Node then runs the next tick. */
export function microtasksDone(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
