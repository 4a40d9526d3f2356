/**
 * Messages as they come over the wire: plain dictionaries, whole ones and chunks. Python's chunks are named so
 * (`AIMessageChunk`); LangChain.js gives a chunk the type of a whole message, and an array `tool_call_chunks`.
 */

import { type Attachment, attachmentOf } from '../shared/attachment.ts';
import { isDictionary } from '../shared/is-dictionary.ts';

export interface ToolCall {
  /** Its number in the message, while it streams in. */
  readonly index?: number | undefined;
  readonly id: string | undefined;
  readonly name: string;
  /** Parsed arguments, or their text so far while they stream in. */
  readonly args: unknown;
}

export interface WireMessage {
  readonly id: string | undefined;
  readonly role: 'human' | 'ai' | 'system' | 'tool' | 'other';
  /** A chunk by its form, which in a state or in an update is a whole message all the same. */
  readonly isChunk: boolean;
  readonly text: string;
  readonly reasoning: string;
  /** Its content besides text. */
  readonly files: readonly Attachment[];
  readonly toolCalls: readonly ToolCall[];
  readonly toolCallChunks: readonly ToolCallChunk[];
  readonly toolCallId: string | undefined;
  readonly name: string | undefined;
  readonly failed: boolean;
}

export interface ToolCallChunk {
  readonly index: number | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly args: string;
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Reads a message leniently; `undefined` when the value is none. */
export function readMessage(value: unknown): WireMessage | undefined {
  if (!isDictionary(value)) return undefined;
  const type = stringOf(value.type) ?? stringOf(value.role);
  if (type === undefined || !('content' in value)) return undefined;
  const { text, reasoning, files } = readContent(value.content);
  return {
    id: stringOf(value.id),
    role: roleOf(type),
    isChunk: type.endsWith('Chunk') || Array.isArray(value.tool_call_chunks),
    text,
    reasoning,
    files,
    toolCalls: list(value.tool_calls).map(readToolCall),
    toolCallChunks: list(value.tool_call_chunks).map(readToolCallChunk),
    toolCallId: stringOf(value.tool_call_id),
    name: stringOf(value.name),
    failed: value.status === 'error',
  };
}

/** The messages of a state or of a node's update, if it has any. */
export function messagesOf(values: unknown): WireMessage[] {
  if (!isDictionary(values)) return [];
  const { messages } = values;
  return (Array.isArray(messages) ? messages : [messages]).flatMap((message) => readMessage(message) ?? []);
}

function roleOf(type: string): WireMessage['role'] {
  switch (type.replace(/(Message)?(Chunk)?$/, '').toLowerCase()) {
    case 'human':
    case 'user':
      return 'human';
    case 'ai':
    case 'assistant':
      return 'ai';
    case 'system':
    case 'developer':
      return 'system';
    case 'tool':
      return 'tool';
    default:
      return 'other';
  }
}

type Content = Pick<WireMessage, 'text' | 'reasoning' | 'files'>;

function readContent(content: unknown): Content {
  if (typeof content === 'string') return { text: content, reasoning: '', files: [] };
  const files: Attachment[] = [];
  let text = '';
  let reasoning = '';
  for (const block of list(content)) {
    if (typeof block === 'string') text += block;
    else if (!isDictionary(block)) continue;
    else if (typeof block.text === 'string' && block.source_type === undefined) text += block.text;
    else {
      reasoning += stringOf(block.reasoning) ?? stringOf(block.thinking) ?? '';
      const file = attachmentOf(block);
      if (file !== undefined) files.push(file);
    }
  }
  return { text, reasoning, files };
}

function readToolCall(value: unknown): ToolCall {
  const call = isDictionary(value) ? value : {};
  return { id: stringOf(call.id), name: stringOf(call.name) ?? '', args: call.args };
}

function readToolCallChunk(value: unknown): ToolCallChunk {
  const chunk = isDictionary(value) ? value : {};
  return {
    index: typeof chunk.index === 'number' ? chunk.index : undefined,
    id: stringOf(chunk.id),
    name: stringOf(chunk.name),
    args: stringOf(chunk.args) ?? '',
  };
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
