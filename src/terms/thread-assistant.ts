/**
 * The ID of the assistant that a thread last ran, which its metadata contains; otherwise its graph's ID, by which
 * the graph's own assistant can be called. `undefined` if nothing has run on the thread yet.
 */
export function assistantOf({
  metadata,
}: {
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}): string | undefined {
  return [metadata?.assistant_id, metadata?.graph_id].find((id) => typeof id === 'string');
}
