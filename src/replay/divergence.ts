import type { Difference, RecordedRequest } from '../contract/agent-server/exchanges.ts';
import { isObject } from '../process/objects.ts';
import { type CanonicalRequest, canonicalRequest } from './canonical-request.ts';

/** The maximum number of differences that are listed, so that the list stays readable. */
const MAX_DIFFERENCES = 20;

/** The differences between the canonical forms of two requests. */
export function compareRequests(recorded: RecordedRequest, now: RecordedRequest): Difference[] {
  return compareValues(canonicalRequest(recorded), canonicalRequest(now));
}

/** The first differences between two values of JSON. */
export function compareValues(recorded: unknown, now: unknown): Difference[] {
  const differences: Difference[] = [];
  collect(recorded, now, '', differences);
  return differences;
}

/** Added to the distance of requests to different endpoints; more than the differences of their bodies can add. */
const OTHER_ENDPOINT = 1_000;

/** How much two requests differ: a smaller number is nearer. */
export function distanceBetween(recorded: RecordedRequest, now: RecordedRequest): number {
  const [a, b]: CanonicalRequest[] = [canonicalRequest(recorded), canonicalRequest(now)];
  const isSameEndpoint = a?.url === b?.url && a?.method === b?.method;
  return (isSameEndpoint ? 0 : OTHER_ENDPOINT) + compareRequests(recorded, now).length;
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
