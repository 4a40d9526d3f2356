const MESSAGE_TYPES = new Set(['human', 'ai', 'system', 'developer', 'tool', 'function', 'remove']);

/** Whether a value is a message in the form that clients or LangChain's tracers use. */
export function isMessageLike(value: Record<string, unknown>): boolean {
  if (typeof value.type === 'string' && MESSAGE_TYPES.has(value.type)) return 'content' in value;
  const { lc, type, id } = value;
  return (
    lc === 1 && type === 'constructor' && Array.isArray(id) && /Message(Chunk)?$/.test(String(id.at(-1)))
  );
}
