import type { Difference, RecordedRequest } from '../contract/agent-server/exchanges.ts';
import { isObject } from '../process/objects.ts';
import { type CanonicalRequest, canonicalRequest } from './canonical-request.ts';

/** Further differences are not listed, because nobody would read them. */
const MAX_DIFFERENCES = 20;

/** The differences between the canonical forms of two requests. */
export function compareRequests(recorded: RecordedRequest, now: RecordedRequest): Difference[] {
  return compareValues(canonicalRequest(recorded), canonicalRequest(now));
}

/** The differences between two values of JSON, up to a readable number. */
export function compareValues(recorded: unknown, now: unknown): Difference[] {
  const differences: Difference[] = [];
  collect(recorded, now, '', differences);
  return differences;
}

/** How much two requests differ: a smaller number is nearer. */
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
