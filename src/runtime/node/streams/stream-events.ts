import type { StreamMode } from '../../protocol/protocol.ts';
import { isRecord } from '../langgraph-types.ts';
import type { RunEvents } from '../link/event-outbox.ts';
import { wireCheckpoint, wireTask } from './checkpoint-events.ts';
import { MessageStream } from './message-stream.ts';
import { type MakeId, OutputIds } from './output-ids.ts';
import type { Extension } from './stream-transformers.ts';

const INTERRUPT = '__interrupt__';

/** The modes that LangGraph has to stream for the requested ones. */
export function libraryModes(modes: readonly StreamMode[]): string[] {
  const needed = new Set<string>();
  for (const mode of modes) {
    if (mode === 'messages-tuple') needed.add('messages');
    else if (mode === 'messages') needed.add('messages').add('values');
    else if (mode !== 'events' && mode !== 'extensions') needed.add(mode);
  }
  return [...needed];
}

/** Converts the chunks of a graph's stream to client events. */
export class StreamEvents {
  readonly #modes: ReadonlySet<string>;
  readonly #events: RunEvents;
  readonly #messages: MessageStream | undefined;
  readonly #outputs: OutputIds;
  #values: Record<string, unknown> | undefined;
  #interrupts: unknown[] | undefined;
  /** The newest sent state of the root graph, without interrupts. */
  lastValues: string | undefined;

  /** @param makeId makes IDs of messages that nodes return without one; random ones by default */
  constructor(modes: readonly StreamMode[], events: RunEvents, makeId?: MakeId) {
    this.#modes = new Set(modes);
    this.#events = events;
    this.#outputs = new OutputIds(makeId);
    this.#messages = this.#modes.has('messages')
      ? new MessageStream((name, data) => events.emit(name, data))
      : undefined;
  }

  /**
   * Sends the events for a chunk, if their modes were requested.
   * @param namespace the namespace of the subgraph, empty for the root graph
   */
  sendChunk(namespace: readonly string[], mode: string, payload: unknown): void {
    if (mode === 'values') {
      if (this.#modes.has('values')) this.#sendValues(namespace, payload);
      if (namespace.length === 0) this.#messages?.values(payload);
    } else if (mode === 'messages') this.#sendMessage(namespace, payload);
    else if (this.#modes.has(mode)) this.#sendPlain(namespace, mode, payload);
  }

  /** Sends a chunk of a mode from which no other mode is derived. */
  #sendPlain(namespace: readonly string[], mode: string, payload: unknown): void {
    switch (mode) {
      case 'checkpoints':
        // LangGraph also sends envelopes of its own protocol under this name.
        if (isRecord(payload) && 'values' in payload) this.#send(mode, namespace, wireCheckpoint(payload));
        return;
      case 'updates':
        this.#outputs.addIdsToUpdate(payload);
        this.#send(mode, namespace, payload);
        return;
      case 'tasks':
        this.#outputs.addIdsToResult(payload);
        this.#send(mode, namespace, wireTask(payload));
        return;
      case 'debug':
        if (isRecord(payload)) this.#outputs.addIdsToResult(payload.payload);
        this.#send(mode, namespace, wireDebug(payload));
        return;
      case 'custom':
        this.#send(mode, namespace, payload);
        this.#events.sendSoon();
        return;
      default:
        this.#send(mode, namespace, payload);
    }
  }

  /** Sends a value of one of the graph's own stream transformers. */
  sendExtension({ namespace, name, payload }: Extension): void {
    this.#send('extensions', namespace, { name, payload });
  }

  /** Sends an event of the mode `events`. */
  sendEvent(event: unknown): void {
    this.#events.emit('events', event);
  }

  #sendMessage(namespace: readonly string[], payload: unknown): void {
    if (isMessageEvent(payload)) {
      this.#send('message-events', namespace, payload);
      return;
    }
    this.#messages?.chunk(payload);
    if (this.#modes.has('messages-tuple')) this.#send('messages', namespace, payload);
  }

  /** Sends a state, with interrupts as clients expect; LangGraph reports these as a separate chunk. */
  #sendValues(namespace: readonly string[], payload: unknown): void {
    if (namespace.length > 0 || !isRecord(payload)) {
      const text = this.#send('values', namespace, payload);
      if (namespace.length === 0) this.lastValues = text;
      return;
    }
    const interrupts = payload[INTERRUPT];
    if (Array.isArray(interrupts)) this.#interrupts = [...(this.#interrupts ?? []), ...interrupts];
    else this.#values = payload;
    if (this.#interrupts === undefined) this.lastValues = this.#send('values', namespace, payload);
    else this.#send('values', namespace, { ...this.#values, [INTERRUPT]: this.#interrupts });
  }

  #send(name: string, namespace: readonly string[], data: unknown): string {
    return this.#events.emit(namespace.length === 0 ? name : `${name}|${namespace.join('|')}`, data);
  }
}

/**
 * Whether a payload is an event of a message: streams of version 3 have events for its start, its blocks and
 * its end.
 */
function isMessageEvent(payload: unknown): boolean {
  if (!Array.isArray(payload)) return false;
  const [event]: unknown[] = payload;
  return isRecord(event) && typeof event.event === 'string';
}

function wireDebug(payload: unknown): unknown {
  if (!isRecord(payload)) return payload;
  const { type } = payload;
  if (type === 'checkpoint' && isRecord(payload.payload)) {
    return { ...payload, payload: wireCheckpoint(payload.payload) };
  }
  return { ...payload, payload: wireTask(payload.payload) };
}
