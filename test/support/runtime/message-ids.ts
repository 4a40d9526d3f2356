/** The inputs of tasks, and the state of a checkpoint. */
const BEFORE = new Set(['input', 'values']);

/** The ids with which the messages that nodes returned were first streamed, by content; undefined without one. */
export function messageIds(streamed: unknown, ids = new Map<string, unknown>()): Map<string, unknown> {
  if (typeof streamed !== 'object' || streamed === null) return ids;
  if ('content' in streamed && 'type' in streamed) {
    const content = String(streamed.content);
    if (!ids.has(content)) ids.set(content, 'id' in streamed ? streamed.id : undefined);
    return ids;
  }
  for (const [key, value] of Object.entries(streamed)) if (!BEFORE.has(key)) messageIds(value, ids);
  return ids;
}
