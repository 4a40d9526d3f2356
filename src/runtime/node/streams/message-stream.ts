import { isRecord } from '../langgraph-types.ts';
import { isMessage, isMessageChunk, type Message } from '../link/wire-format.ts';

interface Concatenable {
  concat(other: unknown): unknown;
}

/**
 * Makes the events of the stream mode `messages` from LangGraph's message chunks and the messages of the
 * state. For each message, these are the metadata once (`messages/metadata`), then the message as it grows
 * (`messages/partial`, cumulative), then the whole message (`messages/complete`).
 */
export class MessageStream {
  readonly #emit: (name: string, data: unknown) => void;
  readonly #growing = new Map<string, Message>();
  readonly #complete = new Set<string>();

  constructor(emit: (name: string, data: unknown) => void) {
    this.#emit = emit;
  }

  /** Takes a chunk of LangGraph's mode `messages`: `[message, metadata]`. */
  chunk(payload: unknown): void {
    if (!Array.isArray(payload)) return;
    const [message, metadata] = payload;
    if (!isMessage(message) || message.id === undefined) return;
    const { id } = message;
    // A model that was not awaited may still be streaming.
    if (this.#complete.has(id)) return;
    const before = this.#growing.get(id);
    if (before === undefined) this.#emit('messages/metadata', { [id]: { metadata } });
    if (!isMessageChunk(message)) {
      this.#growing.set(id, message);
      this.#sendComplete([message]);
      return;
    }
    const grown = before !== undefined && isConcatenable(before) ? before.concat(message) : message;
    if (!isMessage(grown)) return;
    this.#growing.set(id, grown);
    this.#emit('messages/partial', [grown]);
  }

  /** Takes the state after a superstep, and emits messages in it that have not been reported whole yet. */
  values(values: unknown): void {
    if (!isRecord(values)) return;
    const messages = Array.isArray(values.messages) ? values.messages : [values.messages];
    this.#sendComplete(messages.filter(isMessage));
  }

  #sendComplete(messages: Message[]): void {
    const fresh = messages.filter(({ id }) => id !== undefined && !this.#complete.has(id));
    for (const { id } of fresh) {
      if (id === undefined) continue;
      this.#complete.add(id);
    }
    if (fresh.length > 0) this.#emit('messages/complete', fresh);
  }
}

function isConcatenable(value: object): value is Concatenable {
  return 'concat' in value && typeof value.concat === 'function';
}
