/** The filter for runs of a thread, and of those for what matches another filter too. */
export function threadFilter(threadId: string, filter?: string): string {
  const ofThread = `eq(thread_id, ${JSON.stringify(threadId)})`;
  return filter === undefined ? ofThread : `and(${ofThread}, ${filter})`;
}
