/** The filter for runs of a thread that also match another filter, if one is given. */
export function threadFilter(threadId: string, filter?: string): string {
  const ofThread = `eq(thread_id, ${JSON.stringify(threadId)})`;
  return filter === undefined ? ofThread : `and(${ofThread}, ${filter})`;
}
