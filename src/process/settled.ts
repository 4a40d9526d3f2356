/** Waits until work has ended, however it ended: its error is for whoever started it. */
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
