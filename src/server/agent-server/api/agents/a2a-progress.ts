import { z } from 'zod';
import type { StreamedEvent } from '../../runs/run-stream.ts';
import { RunProjection } from '../protocol/run-projection.ts';

const Start = z.looseObject({ event: z.literal('message-start'), id: z.string(), role: z.literal('ai') });
const Delta = z.looseObject({
  event: z.literal('content-block-delta'),
  message_id: z.string(),
  delta: z.looseObject({ type: z.literal('text-delta'), text: z.string() }),
});

/** A message, with the text that the agent has written so far. */
export interface WrittenMessage {
  readonly id: string;
  readonly text: string;
}

/** Assembles the messages that an agent is writing, from the events of its run (mode `messages-tuple`). */
export class MessageProgress {
  readonly #projection: RunProjection;
  /** The texts of the agent's messages, by ID. */
  readonly #texts = new Map<string, string>();

  constructor(graphId: string) {
    this.#projection = new RunProjection(graphId);
  }

  /** @returns the messages that the events continue, in order. */
  read(events: readonly StreamedEvent[]): WrittenMessage[] {
    const changed = new Map<string, WrittenMessage>();
    for (const { method, namespace, data } of events.flatMap((event) => this.#projection.event(event))) {
      if (method !== 'messages' || namespace.length > 0) continue;
      const begun = Start.safeParse(data).data;
      if (begun !== undefined) this.#texts.set(begun.id, '');
      const delta = Delta.safeParse(data).data;
      const before = delta === undefined ? undefined : this.#texts.get(delta.message_id);
      if (delta === undefined || before === undefined) continue;
      const written = { id: delta.message_id, text: before + delta.delta.text };
      this.#texts.set(written.id, written.text);
      changed.set(written.id, written);
    }
    return [...changed.values()];
  }
}
