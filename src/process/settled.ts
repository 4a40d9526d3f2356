/** Waits until work has ended. Its error is not thrown here, but to the code that started it. */
export async function settled(work: Promise<unknown>): Promise<void> {
  await work.catch(() => {});
}

/**
 * Keeps Node from ending the process for a rejection without a handler: others wait for this work as well, or its error
 * comes too late to matter.
 */
export function ignoreRejection(work: Promise<unknown>): void {
  work.catch(() => {});
}
