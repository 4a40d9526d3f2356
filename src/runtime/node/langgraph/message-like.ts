const MESSAGE_TYPES = new Set(['human', 'ai', 'system', 'developer', 'tool', 'function', 'remove']);

/** A message as clients know it, or as LangChain's tracers write it. */
export function isMessageLike(value: Record<string, unknown>): boolean {
  if (typeof value.type === 'string' && MESSAGE_TYPES.has(value.type)) return 'content' in value;
  const { lc, type, id } = value;
  return (
    lc === 1 && type === 'constructor' && Array.isArray(id) && /Message(Chunk)?$/.test(String(id.at(-1)))
  );
}
