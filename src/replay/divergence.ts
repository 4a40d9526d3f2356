import { z } from 'zod';
import { isObject } from '../process/objects.ts';
import { type CanonicalRequest, canonicalRequest } from './canonical-request.ts';
import { Place, RecordedRequest } from './exchange.ts';

/** What differs between two requests, at a path such as `body.messages[0].content`. */
export const Difference = z.object({ at: z.string(), recorded: z.unknown(), now: z.unknown() });
export type Difference = z.output<typeof Difference>;

/** The first request of a replay that the recording does not answer. */
export const Divergence = z.object({
  place: Place,
  /** How many requests of this run were answered before. */
  after: z.int(),
  request: RecordedRequest,
  /** Whether it was recorded, but less often. */
  repeated: z.boolean(),
  /** The recorded request that it is likeliest to have been; null when all have been answered. */
  nearest: z.object({ ordinal: z.int(), place: Place, request: RecordedRequest }).nullable(),
  /** From the nearest to this one. */
  differences: z.array(Difference),
});
export type Divergence = z.output<typeof Divergence>;

/** Beyond these, a reader no longer reads. */
const MAX_DIFFERENCES = 20;

/** What differs between the canonical forms of two requests. */
export function compareRequests(recorded: RecordedRequest, now: RecordedRequest): Difference[] {
  const differences: Difference[] = [];
  collect(canonicalRequest(recorded), canonicalRequest(now), '', differences);
  return differences;
}

/** How far apart two requests are: less is nearer. */
export function distanceBetween(recorded: RecordedRequest, now: RecordedRequest): number {
  const [a, b]: CanonicalRequest[] = [canonicalRequest(recorded), canonicalRequest(now)];
  const elsewhere = a?.url === b?.url && a?.method === b?.method ? 0 : 1_000;
  return elsewhere + compareRequests(recorded, now).length;
}

function collect(recorded: unknown, now: unknown, at: string, found: Difference[]): void {
  if (found.length >= MAX_DIFFERENCES || Object.is(recorded, now)) return;
  if (Array.isArray(recorded) && Array.isArray(now)) {
    for (let index = 0; index < Math.max(recorded.length, now.length); index++) {
      collect(recorded[index], now[index], `${at}[${index}]`, found);
    }
  } else if (isObject(recorded) && isObject(now)) {
    for (const key of new Set([...Object.keys(recorded), ...Object.keys(now)])) {
      collect(recorded[key], now[key], at === '' ? key : `${at}.${key}`, found);
    }
  } else if (JSON.stringify(recorded) !== JSON.stringify(now)) {
    found.push({ at, recorded, now });
  }
}
