import { z } from 'zod';
import { isObject } from '../../../../process/objects.ts';
import type { StreamedEvent } from '../../runs/run-stream.ts';
import { RunProjection } from '../protocol/run-projection.ts';

const Start = z.looseObject({ event: z.literal('message-start'), id: z.string(), role: z.literal('ai') });
const Delta = z.looseObject({
  event: z.literal('content-block-delta'),
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
  #written: WrittenMessage | undefined;

  constructor(graphId: string) {
    this.#projection = new RunProjection(graphId);
  }

  /** @returns the messages that the events continue, in order. */
  read(events: readonly StreamedEvent[]): WrittenMessage[] {
    const changed = new Map<string, WrittenMessage>();
    for (const { method, namespace, data } of events.flatMap((event) => this.#projection.event(event))) {
      if (method !== 'messages' || namespace.length > 0) continue;
      if (isObject(data) && data.event === 'message-start') {
        const id = Start.safeParse(data).data?.id;
        this.#written = id === undefined ? undefined : { id, text: '' };
      }
      const delta = Delta.safeParse(data).data?.delta;
      if (delta === undefined || this.#written === undefined) continue;
      const { id, text } = this.#written;
      this.#written = { id, text: text + delta.text };
      changed.set(id, this.#written);
    }
    return [...changed.values()];
  }
}
