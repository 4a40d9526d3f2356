import type { Difference, RecordedRequest } from '../contract/agent-server/exchanges.ts';
import { isObject } from '../process/objects.ts';
import { canonicalRequest } from './canonical-request.ts';

/** The maximum number of differences that are listed, so that the list stays readable. */
const MAX_DIFFERENCES = 20;
/** Added to the distance of requests to different endpoints; more than the differences of their bodies can add. */
const OTHER_ENDPOINT = 1_000;

/** The first differences between the canonical forms of two requests, at most `MAX_DIFFERENCES`. */
export function compareRequests(recorded: RecordedRequest, now: RecordedRequest): Difference[] {
  return compareValues(canonicalRequest(recorded), canonicalRequest(now));
}

/** The first differences between two values of JSON, at most `MAX_DIFFERENCES`. */
export function compareValues(recorded: unknown, now: unknown): Difference[] {
  const differences: Difference[] = [];
  collect(recorded, now, '', differences);
  return differences;
}

/** How much two requests differ: a smaller number is nearer. */
export function distanceBetween(recorded: RecordedRequest, now: RecordedRequest): number {
  const before = canonicalRequest(recorded);
  const after = canonicalRequest(now);
  const isSameEndpoint = before.url === after.url && before.method === after.method;
  return (isSameEndpoint ? 0 : OTHER_ENDPOINT) + compareValues(before, after).length;
}

/** Adds the differences between two values. @param at the path of the values; empty for the root */
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
