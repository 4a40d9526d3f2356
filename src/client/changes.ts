import { z } from 'zod';
import { Change } from '../contract/harbor.ts';
import type { EventStream } from './event-stream.ts';

/** Milliseconds without a byte after which a stream of changes is dead: servers send a heartbeat every five seconds. */
export const CHANGES_SILENCE_MS = 15_000;

const Changes = z.array(Change);

/** The changes that an Agent Harbor server announces on a stream, until it ends. */
export async function* readChanges(stream: EventStream): AsyncGenerator<readonly Change[]> {
  for await (const { event, data } of stream) {
    const changes = event === 'changes' ? Changes.safeParse(data) : undefined;
    // A newer server may send resources that this client does not know.
    if (changes?.success) yield changes.data;
  }
}
