/** Node calls what waits for its next tick when the queue of microtasks is empty: all that waits for nothing else is done. */
export function microtasksDone(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
