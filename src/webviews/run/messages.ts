/**
 * Messages as they come over the wire: plain dictionaries, whole ones and chunks. Python's chunks are named so
 * (`AIMessageChunk`); LangChain.js gives a chunk the type of a whole message, and an array `tool_call_chunks`.
 */

import { isDictionary } from '../../terms/fields.ts';
import { readContent as readParts, readThoughts } from '../../terms/message-parts.ts';
import { roleOf } from '../../terms/messages.ts';
import { type Attachment, attachmentOf } from '../shared/attachment.ts';

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
  const { text, reasoning: thoughts, files, calls } = readContent(value.content);
  const reasoning = thoughts || textOfThoughts(value.additional_kwargs);
  const isChunk = type.endsWith('Chunk') || Array.isArray(value.tool_call_chunks);
  const toolCalls = list(value.tool_calls).map(readToolCall);
  return {
    id: stringOf(value.id),
    role: roleOf(type),
    isChunk,
    text,
    reasoning,
    files,
    // Providers that have calls in the content have them there only where LangChain has not read them.
    toolCalls: toolCalls.length > 0 || isChunk ? toolCalls : calls,
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

interface Content extends Pick<WireMessage, 'text' | 'reasoning' | 'files'> {
  readonly calls: readonly ToolCall[];
}

/** The answer of a tool is text of the message, as it is where tools have messages of their own. */
function readContent(content: unknown): Content {
  const files: Attachment[] = [];
  const calls: ToolCall[] = [];
  let text = '';
  let reasoning = '';
  for (const part of readParts(content)) {
    if (part.kind === 'text') text += part.text;
    else if (part.kind === 'reasoning') reasoning += part.text;
    else if (part.kind === 'call') calls.push({ id: part.id, name: part.name, args: part.args });
    else if (part.kind === 'result') text += textOfResult(part.parts);
    else files.push(...attachmentsIn(part.kind === 'file' ? part.block : part.value));
  }
  return { text, reasoning, files, calls };
}

function textOfThoughts(kwargs: unknown): string {
  return readThoughts(kwargs)
    .map((part) => (part.kind === 'reasoning' ? part.text : ''))
    .join('');
}

type Part = ReturnType<typeof readParts>[number];

function textOfResult(parts: Extract<Part, { kind: 'result' }>['parts']): string {
  return parts
    .map((part) =>
      part.kind === 'text' ? part.text : part.kind === 'json' ? JSON.stringify(part.value) : '',
    )
    .join('');
}

function attachmentsIn(block: unknown): Attachment[] {
  const file = isDictionary(block) ? attachmentOf(block) : undefined;
  return file === undefined ? [] : [file];
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
