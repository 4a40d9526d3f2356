/** Node runs the next tick when the queue of microtasks is empty, so all of them are done then. */
export function microtasksDone(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
