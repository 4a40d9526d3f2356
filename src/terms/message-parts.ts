import { type Dictionary, Fields, isDictionary, parseIfJson } from './fields.ts';

/** A part of a message; the parts of every provider are read as one of these. */
export type MessagePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string | undefined; readonly name: string; readonly args: unknown }
  | {
      readonly kind: 'result';
      readonly id: string | undefined;
      readonly name: string | undefined;
      readonly parts: readonly MessagePart[];
      readonly failed: boolean;
    }
  /** A picture, recording or document, in its provider's form. */
  | { readonly kind: 'file'; readonly block: Dictionary }
  /** A part of an unknown kind, unchanged. */
  | { readonly kind: 'json'; readonly value: unknown };

// Types of blocks that become each kind of part.
const TEXT_TYPES = ['text', 'output_text', 'input_text', 'summary_text', 'reasoning_text'] as const;
const REASONING_TYPES = ['reasoning', 'thinking'] as const;
const CALL_TYPE =
  /^(?:tool[-_]use|(?:server|mcp)_tool_use|tool[-_]call|function_call|custom_tool_call|server_tool_call|mcp_call)$/;
const RESULT_TYPE =
  /^(?:\w*tool_result|tool-result|tool_call_response|server_tool_call_response|server_tool_result|function_call_output|custom_tool_call_output)$/;
const FILE_TYPE =
  /^(?:image|image_url|input_image|image_file|audio|input_audio|video|video_url|file|document|input_file|media|blob|uri|container_upload)$/;

/** The parts of a message's content, which is a text, a list of blocks, or something else. */
export function readContent(content: unknown): MessagePart[] {
  if (content === null || content === undefined || content === '') return [];
  if (Array.isArray(content)) return joinTexts(content.flatMap(readBlock));
  if (isDictionary(content)) return readBlock(content);
  return typeof content === 'string' ? [{ kind: 'text', text: content }] : [{ kind: 'json', value: content }];
}

/** A call of a tool, as LangChain, OpenAI and the GenAI conventions write them. */
export function readCall(value: unknown): MessagePart[] {
  if (!isDictionary(value)) return [{ kind: 'json', value }];
  const fields = new Fields(value);
  const called = fields.dictionary('function', 'custom');
  const inner = called === undefined ? fields : new Fields(called);
  const name = inner.text('name', 'toolName', 'tool_name');
  if (name === undefined) return [{ kind: 'json', value }];
  const id = fields.text('id', 'call_id', 'toolCallId', 'toolUseId', 'tool_call_id');
  const args = parseIfJson(inner.value('args', 'input', 'arguments'));
  fields.is('type', 'function', 'tool_call', 'tool_call_chunk', 'function_call', 'tool_use', 'custom');
  return [{ kind: 'call', id, name, args }, ...restOf(fields), ...(inner === fields ? [] : restOf(inner))];
}

function readBlock(block: unknown): MessagePart[] {
  if (typeof block === 'string') return [{ kind: 'text', text: block }];
  if (!isDictionary(block)) return [{ kind: 'json', value: block }];
  const { type } = block;
  if (typeof type !== 'string') return readUntyped(block);
  if (CALL_TYPE.test(type)) return readCall(withoutType(block));
  if (RESULT_TYPE.test(type)) return readResult(isTypeOfOneTool(type) ? block : withoutType(block));
  if (FILE_TYPE.test(type)) return [{ kind: 'file', block }];
  const fields = new Fields(block);
  if (fields.is('type', ...TEXT_TYPES)) {
    const text = fields.text('text', 'content');
    return text === undefined
      ? [{ kind: 'json', value: block }]
      : [{ kind: 'text', text }, ...restOf(fields)];
  }
  if (fields.is('type', ...REASONING_TYPES)) {
    const text = fields.text('reasoning', 'thinking', 'content', 'text');
    const summary = [...(fields.list('summary') ?? []), ...(fields.list('content') ?? [])].flatMap(readBlock);
    const thoughts: MessagePart[] = text === undefined || text === '' ? [] : [{ kind: 'reasoning', text }];
    return [...thoughts, ...summary.map(asReasoning), ...restOf(fields)];
  }
  if (fields.is('type', 'refusal')) {
    const text = fields.text('refusal');
    if (text !== undefined) return [{ kind: 'text', text }, ...restOf(fields)];
  }
  return [{ kind: 'json', value: block }];
}

/** Reads a block of Gemini or Bedrock. It has no type, but a field named for its content. */
function readUntyped(block: Dictionary): MessagePart[] {
  const fields = new Fields(block);
  const text = fields.text('text');
  if (text !== undefined) {
    return [{ kind: fields.is('thought', true) ? 'reasoning' : 'text', text }, ...restOf(fields)];
  }
  const call = fields.dictionary('functionCall', 'function_call', 'toolUse');
  if (call !== undefined) return [...readCall(call), ...restOf(fields)];
  const result = fields.dictionary('functionResponse', 'function_response', 'toolResult');
  if (result !== undefined) return [...readResult(result), ...restOf(fields)];
  const thought = fields.dictionary('reasoningContent');
  if (thought !== undefined) {
    const inner = new Fields(thought);
    const said = inner.dictionary('reasoningText');
    return [
      ...(said === undefined ? [] : readUntyped(said).map(asReasoning)),
      ...restOf(inner),
      ...restOf(fields),
    ];
  }
  const isFile = ['inlineData', 'inline_data', 'fileData', 'file_data', 'image', 'document', 'video'].some(
    (name) => isDictionary(block[name]),
  );
  return isFile ? [{ kind: 'file', block }] : [{ kind: 'json', value: block }];
}

function readResult(value: Dictionary): MessagePart[] {
  const fields = new Fields(value);
  const id = fields.text('tool_use_id', 'call_id', 'toolCallId', 'toolUseId', 'tool_call_id', 'id');
  const name = fields.text('name', 'toolName', 'tool_name');
  const failed = fields.is('is_error', true) || fields.is('status', 'error');
  fields.is('status', 'success', 'completed');
  const content = fields.value('content', 'response', 'result', 'output');
  // A list with other items is the tool's data, not blocks of content.
  const isBlocks =
    Array.isArray(content) && content.every((block) => isDictionary(block) || typeof block === 'string');
  const parts: MessagePart[] =
    isBlocks || typeof content === 'string'
      ? readContent(content)
      : content === undefined
        ? []
        : [{ kind: 'json', value: content }];
  return [{ kind: 'result', id, name, parts, failed }, ...restOf(fields)];
}

function withoutType({ type: _, ...block }: Dictionary): Dictionary {
  return block;
}

/** Whether a type of results belongs to a single tool, such as `web_search_tool_result`. */
function isTypeOfOneTool(type: string): boolean {
  return /\w_tool_result$/.test(type) && !/^(?:server|mcp)_tool_result$/.test(type);
}

function restOf(fields: Fields): MessagePart[] {
  const value = fields.rest();
  return value === undefined ? [] : [{ kind: 'json', value }];
}

/**
 * Thoughts that LangChain keeps in `additional_kwargs`: a text from Ollama, DeepSeek, xAI or Groq, or an item from
 * OpenAI's Responses.
 */
export function readThoughts(kwargs: unknown): MessagePart[] {
  if (!isDictionary(kwargs)) return [];
  const { reasoning_content: text, reasoning } = kwargs;
  if (typeof text === 'string' && text !== '') return [{ kind: 'reasoning', text }];
  return isDictionary(reasoning) ? readContent([{ type: 'reasoning', ...reasoning }]) : [];
}

function asReasoning(part: MessagePart): MessagePart {
  return part.kind === 'text' ? { kind: 'reasoning', text: part.text } : part;
}

/** Joins consecutive texts, because some senders record a streamed answer piece by piece. */
function joinTexts(parts: readonly MessagePart[]): MessagePart[] {
  const joined: MessagePart[] = [];
  for (const part of parts) {
    const before = joined.at(-1);
    if (part.kind === 'text' && before?.kind === 'text')
      joined[joined.length - 1] = { kind: 'text', text: before.text + part.text };
    else joined.push(part);
  }
  return joined;
}
