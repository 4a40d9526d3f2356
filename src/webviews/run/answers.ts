import type { ToolCall, ToolCallChunk, WireMessage } from './messages.ts';
import type { RowOf } from './transcript-model.ts';

export type Answer = RowOf<'ai'>;
type NewAnswer = Omit<Answer, 'id' | 'runs' | 'isBeside'>;

/** The origin of a message: the node, and its task, because a node may run several tasks at once. */
export interface Writer {
  readonly node?: string | undefined;
  readonly task?: string | undefined;
}

/** The row of a message that starts to stream, or starts again. */
export function beginRow(message: WireMessage, writer: Writer): NewAnswer {
  return { ...toRow(message, writer), toolCalls: addPieces([], message), streaming: message.isChunk };
}

/** The row with a new chunk. */
export function growRow(row: Answer, message: WireMessage): Answer {
  // Pieces of provider-specific content mean nothing alone. The complete message contains all of it.
  return {
    ...row,
    messageId: message.id ?? row.messageId,
    text: row.text + message.text,
    reasoning: row.reasoning + message.reasoning,
    files: [...row.files, ...message.files.filter(({ kind }) => kind !== 'other')],
    toolCalls: addPieces(row.toolCalls, message),
    results: { ...row.results, ...message.results },
    streaming: true,
  };
}

/** The row of a complete message. */
export function toRow(message: WireMessage, { node, task }: Writer): NewAnswer {
  const { id: messageId, text, reasoning, files, toolCalls, results } = message;
  return { kind: 'ai', messageId, node, task, text, reasoning, files, toolCalls, results, streaming: false };
}

/** The row once its message is complete; the same object if the row already has its ID, text, files and tool calls. */
export function completeRow(row: Answer, message: WireMessage): Answer {
  const { id: messageId = row.messageId, text, files, toolCalls } = message;
  const isSame =
    row.messageId === messageId &&
    row.text === text &&
    !row.streaming &&
    row.files.length === files.length &&
    JSON.stringify(row.toolCalls) === JSON.stringify(toolCalls);
  const reasoning = message.reasoning || row.reasoning;
  const results = { ...row.results, ...message.results };
  return isSame ? row : { ...row, messageId, text, reasoning, files, toolCalls, results, streaming: false };
}

/** Whether a message has no content yet. The chunk with its first content may have a different ID. */
export function isUnbegun({ text, reasoning, files, toolCalls }: Answer): boolean {
  return text === '' && reasoning === '' && files.length === 0 && toolCalls.length === 0;
}

/** Adds the pieces of tool calls in a chunk. Arguments are text until the complete message arrives. */
function addPieces(calls: readonly ToolCall[], chunk: WireMessage): readonly ToolCall[] {
  if (chunk.toolCallChunks.length === 0) {
    const known = new Set(calls.map(({ id }) => id));
    const added = chunk.toolCalls.filter(({ id }) => id === undefined || !known.has(id));
    return added.length === 0 ? calls : [...calls, ...added];
  }
  const next = [...calls];
  for (const piece of chunk.toolCallChunks) {
    const place = placeOf(piece, next);
    const before = next[place];
    next[place < 0 ? next.length : place] = {
      index: piece.index,
      id: before?.id ?? piece.id,
      name: (before?.name ?? '') + (piece.name ?? ''),
      args: (typeof before?.args === 'string' ? before.args : '') + piece.args,
    };
  }
  return next;
}

/**
 * The position of the call that a piece continues; -1 for a new call. Providers may start numbering at any number.
 * Without numbers, a piece without an ID continues the last call.
 */
function placeOf({ index, id }: ToolCallChunk, calls: readonly ToolCall[]): number {
  if (id !== undefined && calls.some((call) => call.id === id))
    return calls.findIndex((call) => call.id === id);
  if (index === undefined) return id === undefined ? calls.length - 1 : -1;
  return calls.findLastIndex((call) => call.index === index && (id === undefined || call.id === undefined));
}
