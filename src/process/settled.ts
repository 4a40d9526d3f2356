/** Waits until work has ended. Its error is not thrown here, but where the work was started. */
export async function settled(work: Promise<unknown>): Promise<void> {
  await work.catch(() => {});
}

/**
 * Keeps Node from ending the process for a rejection without a handler: the work is awaited elsewhere too, or its error
 * comes too late to matter.
 */
export function ignoreRejection(work: Promise<unknown>): void {
  work.catch(() => {});
}
