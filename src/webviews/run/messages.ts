/**
 * Messages in their wire form: plain dictionaries, whole ones and chunks. Python's chunks have a type of their own
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
  /** Why it cannot be carried out: its arguments are not JSON. */
  readonly problem?: string;
}

export interface ToolResult {
  readonly text: string;
  readonly files: readonly Attachment[];
  readonly failed: boolean;
}

export interface WireMessage {
  readonly id: string | undefined;
  readonly role: 'human' | 'ai' | 'system' | 'tool' | 'other';
  /** Whether it has the form of a chunk. In a state or an update, that is still a whole message. */
  readonly isChunk: boolean;
  readonly text: string;
  readonly reasoning: string;
  /** Its content besides text. */
  readonly files: readonly Attachment[];
  readonly toolCalls: readonly ToolCall[];
  readonly toolCallChunks: readonly ToolCallChunk[];
  /** Results of tools that the provider runs itself, by the ids of their calls. */
  readonly results: Readonly<Record<string, ToolResult>>;
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

/** Reads a message leniently; `undefined` for other values. */
export function readMessage(value: unknown): WireMessage | undefined {
  if (!isDictionary(value)) return undefined;
  const type = stringOf(value.type) ?? stringOf(value.role);
  if (type === undefined || !('content' in value)) return undefined;
  const role = roleOf(type);
  const { text, reasoning: thoughts, files, calls, results } = readContent(value.content, role);
  const reasoning = thoughts || textOfThoughts(value.additional_kwargs);
  const isChunk = type.endsWith('Chunk') || Array.isArray(value.tool_call_chunks);
  const toolCalls = [
    ...list(value.tool_calls).map(readToolCall),
    // Those of a chunk are pieces, which are not JSON yet.
    ...list(isChunk ? [] : value.invalid_tool_calls).map(readToolCall),
  ];
  const servedCalls = calls.filter(({ id }) => id !== undefined && results[id] !== undefined);
  return {
    id: stringOf(value.id),
    role,
    isChunk,
    text,
    reasoning,
    files,
    // LangChain reads the calls in the content, except those that the provider has carried out itself.
    toolCalls: toolCalls.length > 0 || isChunk ? [...toolCalls, ...servedCalls] : calls,
    results,
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
  readonly results: Readonly<Record<string, ToolResult>>;
}

/**
 * In an answer of a model, the answer of a tool belongs to its call. Elsewhere, for example in a tool's own
 * message, it is text of the message.
 */
function readContent(content: unknown, role: WireMessage['role']): Content {
  const files: Attachment[] = [];
  const calls: ToolCall[] = [];
  const results: Record<string, ToolResult> = {};
  let text = '';
  let reasoning = '';
  for (const part of readParts(content)) {
    if (part.kind === 'text') text += part.text;
    else if (part.kind === 'reasoning') reasoning += part.text;
    else if (part.kind === 'call') calls.push({ id: part.id, name: part.name, args: part.args });
    else if (part.kind === 'result' && role === 'ai' && part.id !== undefined)
      results[part.id] = { text: textOfResult(part.parts), files: [], failed: part.failed };
    else if (part.kind === 'result') text += textOfResult(part.parts);
    else files.push(...attachmentsIn(part.kind === 'file' ? part.block : part.value));
  }
  return { text, reasoning, files, calls, results };
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
  // A type alone, left after all other fields of a block were read, has no meaning.
  const file =
    isDictionary(block) && Object.keys(block).some((key) => key !== 'type') ? attachmentOf(block) : undefined;
  return file === undefined ? [] : [file];
}

function readToolCall(value: unknown): ToolCall {
  const call = isDictionary(value) ? value : {};
  const problem = call.type === 'invalid_tool_call' ? stringOf(call.error) : undefined;
  return {
    id: stringOf(call.id),
    name: stringOf(call.name) ?? '',
    args: call.args,
    ...(call.type === 'invalid_tool_call' && { problem: problem ?? '' }),
  };
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
