import { z } from 'zod';
import { Change } from '../contract/harbor.ts';
import type { ServerEvent } from './event-stream.ts';

/** A stream of changes that is silent for this long is dead, because servers send a heartbeat every five seconds. */
export const CHANGES_SILENCE_MS = 15_000;

const Changes = z.array(z.unknown());

/** The changes that an Agent Harbor server announces on a stream, until it ends. Other events are skipped. */
export async function* readChanges(stream: AsyncIterable<ServerEvent>): AsyncGenerator<readonly Change[]> {
  for await (const { event, data } of stream) {
    const changes = event === 'changes' ? (Changes.safeParse(data).data ?? []) : [];
    // A newer server may announce changes of resources that this client does not know.
    const known = changes.flatMap((change) => Change.safeParse(change).data ?? []);
    if (known.length > 0) yield known;
  }
}
