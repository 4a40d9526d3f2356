import { isDictionary } from '../../terms/fields.ts';
import { type MessagePart, readContent as readParts, readThoughts } from '../../terms/message-parts.ts';
import { roleOf } from '../../terms/messages.ts';
import { type Attachment, attachmentOf } from '../shared/attachment.ts';

export interface ToolCall {
  /** The number of the call in its message, while it streams. */
  readonly index?: number | undefined;
  readonly id: string | undefined;
  readonly name: string;
  /** Parsed arguments, or their text so far while they stream in. */
  readonly args: unknown;
  /** The parse error of the arguments, if they are not valid JSON; may be empty. */
  readonly problem?: string;
}

export interface ToolResult {
  readonly text: string;
  readonly files: readonly Attachment[];
  readonly failed: boolean;
}

/**
 * A message as it is read from the wire, complete or a chunk. Chunks from Python have their own type (`AIMessageChunk`);
 * chunks from LangChain.js have the type of a complete message, and an array `tool_call_chunks`.
 */
export interface WireMessage {
  readonly id: string | undefined;
  readonly role: 'human' | 'ai' | 'system' | 'tool' | 'other';
  /** Whether the message has the form of a chunk. In a state or an update, it is complete nevertheless. */
  readonly isChunk: boolean;
  readonly text: string;
  readonly reasoning: string;
  /** The content of the message besides text. */
  readonly files: readonly Attachment[];
  readonly toolCalls: readonly ToolCall[];
  readonly toolCallChunks: readonly ToolCallChunk[];
  /** Results of tools that the provider runs itself, by the IDs of their calls. */
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

/** Reads a message, and ignores invalid fields. @returns `undefined` for a value that is not a message */
export function readMessage(value: unknown): WireMessage | undefined {
  if (!isDictionary(value)) return undefined;
  const type = stringOf(value.type) ?? stringOf(value.role);
  if (type === undefined || !('content' in value)) return undefined;
  const role = roleOf(type);
  const { text, reasoning: thoughts, files, calls, results } = readContent(value.content, role);
  const reasoning = thoughts || textOfThoughts(value.additional_kwargs);
  const isChunk = type.endsWith('Chunk') || Array.isArray(value.tool_call_chunks);
  // In a chunk, arguments are incomplete, and therefore not valid JSON.
  const toolCalls = [
    ...list(value.tool_calls).map(readToolCall),
    ...list(isChunk ? [] : value.invalid_tool_calls).map(readToolCall),
  ];
  // LangChain puts the calls in the content into `tool_calls`, except those that the provider has carried out itself.
  const providerCalls = calls.filter(({ id }) => id !== undefined && results[id] !== undefined);
  return {
    id: stringOf(value.id),
    role,
    isChunk,
    text,
    reasoning,
    files,
    toolCalls: toolCalls.length > 0 || isChunk ? [...toolCalls, ...providerCalls] : calls,
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
 * Reads the content of a message. A tool result in a message of a model belongs to its call. In other messages, such as
 * those of tools, it is text.
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
      results[part.id] = {
        text: textOfResult(part.parts),
        files: filesOfResult(part.parts),
        failed: part.failed,
      };
    else if (part.kind === 'result') {
      text += textOfResult(part.parts);
      files.push(...filesOfResult(part.parts));
    } else files.push(...attachmentsIn(part.kind === 'file' ? part.block : part.value));
  }
  return { text, reasoning, files, calls, results };
}

function textOfThoughts(kwargs: unknown): string {
  return readThoughts(kwargs)
    .map((part) => (part.kind === 'reasoning' ? part.text : ''))
    .join('');
}

function textOfResult(parts: readonly MessagePart[]): string {
  return parts
    .map((part) =>
      part.kind === 'text' ? part.text : part.kind === 'json' ? JSON.stringify(part.value) : '',
    )
    .join('');
}

function filesOfResult(parts: readonly MessagePart[]): Attachment[] {
  return parts.flatMap((part) => (part.kind === 'file' ? attachmentsIn(part.block) : []));
}

function attachmentsIn(block: unknown): Attachment[] {
  // A block is empty if its other fields were read, and only its type is left.
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
