/** Waits until work has ended, even with an error. The code that started the work handles the error. */
export async function settled(work: Promise<unknown>): Promise<void> {
  await work.catch(() => {});
}

/**
 * Marks a rejection as handled, so that Node does not report it. For work that is awaited elsewhere too, or whose error
 * does not matter.
 */
export function ignoreRejection(work: Promise<unknown>): void {
  work.catch(() => {});
}
