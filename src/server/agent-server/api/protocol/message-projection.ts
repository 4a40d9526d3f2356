import { isObject, listAt, objectAt } from '../../../../process/objects.ts';
import { type Fields, stringAt } from './fields.ts';

const ROLES: Readonly<Record<string, string>> = {
  ai: 'ai',
  AIMessage: 'ai',
  AIMessageChunk: 'ai',
  human: 'human',
  HumanMessage: 'human',
  HumanMessageChunk: 'human',
  system: 'system',
  SystemMessage: 'system',
  SystemMessageChunk: 'system',
};

/** The metadata that is sent at the start of each message; other entries may be large. */
const METADATA_KEYS = ['langgraph_node', 'ls_provider', 'ls_model_name', 'run_id', 'thread_id'];

interface Block {
  readonly index: number;
  /** Identifies the chunks that belong to the block. */
  readonly key: string;
  readonly content: Record<string, unknown>;
}

/**
 * Converts the message chunks of a namespace (mode `messages-tuple`) to message events of the v2 protocol: a
 * start, content blocks with deltas and ends, and a finish.
 */
export class MessageProjection {
  #id: string | undefined;
  #block: Block | undefined;
  #blocks = 0;
  #usage: Fields | undefined;
  readonly #begun: Set<string>;

  /**
   * @param begun the IDs of the messages that any task of the namespace has begun, to which this task adds its own.
   * Chunks of a message that has finished, or that another task has begun, are repetitions.
   */
  constructor(begun: Set<string>) {
    this.#begun = begun;
  }

  /** Adds a chunk of a message, or a whole message. @returns the events for it. */
  add(message: Fields, metadata: Fields): Fields[] {
    const role = ROLES[stringAt(message, 'type') ?? ''];
    const id = stringAt(message, 'id') ?? this.#id;
    if (role === undefined || id === undefined || (id !== this.#id && this.#begun.has(id))) return [];
    const finished = id === this.#id ? [] : this.finish();
    const events: Fields[] = [];
    if (id !== this.#id) {
      this.#id = id;
      this.#begun.add(id);
      const known = METADATA_KEYS.flatMap((key) => {
        const value = metadata[key];
        return typeof value === 'string' ? [[key, value] as const] : [];
      });
      events.push({ event: 'message-start', role, id, metadata: Object.fromEntries(known) });
    }
    const { content } = message;
    if (typeof content === 'string') events.push(...this.#addText('text', content));
    else if (Array.isArray(content)) events.push(...content.flatMap((part) => this.#addPart(part)));
    const chunks = listAt(message, 'tool_call_chunks').filter(isObject);
    events.push(...chunks.flatMap((chunk) => this.#addToolCallChunk(chunk)));
    if (chunks.length === 0) {
      events.push(
        ...listAt(message, 'tool_calls')
          .filter(isObject)
          .flatMap((call) => this.#addToolCall(call)),
      );
    }
    const usage = objectAt(message, 'usage_metadata');
    if (Object.keys(usage).length > 0) this.#usage = usage;
    return [...finished, ...named(events, id)];
  }

  /** Finishes the current message, if any. */
  finish(): Fields[] {
    if (this.#id === undefined) return [];
    const events = [
      ...this.#finishBlock(),
      { event: 'message-finish', ...(this.#usage === undefined ? {} : { usage: this.#usage }) },
    ];
    const finished = named(events, this.#id);
    this.#id = undefined;
    this.#usage = undefined;
    this.#blocks = 0;
    return finished;
  }

  /** Adds a part of a message's content. */
  #addPart(part: unknown): Fields[] {
    if (typeof part === 'string') return this.#addText('text', part);
    if (!isObject(part)) return [];
    const type = stringAt(part, 'type') ?? 'non_standard';
    if (type === 'text' || type === 'text_delta') return this.#addText('text', stringAt(part, 'text') ?? '');
    if (type === 'reasoning') return this.#addText('reasoning', stringAt(part, 'reasoning') ?? '');
    // Tool calls are also in `tool_calls` or `tool_call_chunks`, independent of the provider.
    if (type === 'tool_use' || type === 'input_json_delta' || type === 'tool_call') return [];
    return [...this.#openBlock(`${type} ${this.#blocks}`, { ...part }), ...this.#finishBlock()];
  }

  #addText(type: 'text' | 'reasoning', text: string): Fields[] {
    if (text === '') return [];
    const events = this.#block?.key === type ? [] : this.#openBlock(type, { type, [type]: '' });
    const block = this.#block;
    if (block === undefined) return events;
    block.content[type] = `${String(block.content[type])}${text}`;
    return [
      ...events,
      { event: 'content-block-delta', index: block.index, delta: { type: `${type}-delta`, [type]: text } },
    ];
  }

  #addToolCallChunk(chunk: Fields): Fields[] {
    const key = `tool ${String(chunk.index ?? stringAt(chunk, 'id') ?? '')}`;
    const events: Fields[] = [];
    if (this.#block?.key !== key) {
      const content = {
        type: 'tool_call_chunk',
        id: stringAt(chunk, 'id') ?? null,
        name: stringAt(chunk, 'name') ?? null,
        args: '',
      };
      events.push(...this.#openBlock(key, content));
    }
    const block = this.#block;
    if (block === undefined) return events;
    block.content.args = `${String(block.content.args)}${stringAt(chunk, 'args') ?? ''}`;
    block.content.id ??= stringAt(chunk, 'id') ?? null;
    block.content.name ??= stringAt(chunk, 'name') ?? null;
    const fields = { ...block.content };
    return [
      ...events,
      { event: 'content-block-delta', index: block.index, delta: { type: 'block-delta', fields } },
    ];
  }

  /** Adds a whole tool call. */
  #addToolCall(call: Fields): Fields[] {
    const content = {
      type: 'tool_call',
      id: stringAt(call, 'id') ?? null,
      name: stringAt(call, 'name') ?? '',
      args: objectAt(call, 'args'),
    };
    return [...this.#openBlock(`call ${this.#blocks}`, content), ...this.#finishBlock()];
  }

  /** Begins a block, after the end of the current one. */
  #openBlock(key: string, content: Record<string, unknown>): Fields[] {
    const events = this.#finishBlock();
    this.#block = { index: this.#blocks++, key, content };
    return [...events, { event: 'content-block-start', index: this.#block.index, content: { ...content } }];
  }

  #finishBlock(): Fields[] {
    const block = this.#block;
    if (block === undefined) return [];
    this.#block = undefined;
    return [{ event: 'content-block-finish', index: block.index, content: finalize(block.content) }];
  }
}

/**
 * Names the message of each event, because messages of parallel tasks are interleaved. Public clients in Python find
 * a message by `message_id`, and those in JavaScript by `run_id`.
 */
function named(events: readonly Fields[], id: string): Fields[] {
  return events.map((event) => ({ ...event, message_id: id, run_id: id }));
}

/** The final form of a block's content: chunks of a tool call become the call. */
function finalize(content: Fields): Fields {
  if (content.type !== 'tool_call_chunk') return content;
  const { id, name } = content;
  const text = typeof content.args === 'string' && content.args !== '' ? content.args : '{}';
  try {
    return { type: 'tool_call', id, name, args: JSON.parse(text) as unknown };
  } catch {
    return { type: 'invalid_tool_call', id, name, args: text, error: 'The arguments are not valid JSON.' };
  }
}
