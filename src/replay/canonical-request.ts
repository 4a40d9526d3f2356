import { createHash } from 'node:crypto';
import type { RecordedRequest } from '../contract/agent-server/exchanges.ts';
import { isObject } from '../process/objects.ts';

/**
 * The parts of a request that are compared. Headers and the order of fields and parameters do not count.
 */
export interface CanonicalRequest {
  readonly method: string;
  readonly url: string;
  /**
   * JSON with sorted keys, otherwise text, or base64 for bytes; null if empty. Masks in texts have equal
   * lengths, and the boundaries of forms are equal.
   */
  readonly body: unknown;
}

/** @param request with masked secrets; the lengths of the masks do not count */
export function canonicalRequest(request: RecordedRequest): CanonicalRequest {
  return {
    method: request.method.toUpperCase(),
    url: canonicalUrl(request.url),
    body: canonicalBody(request),
  };
}

/** The key under which the answers to a request are found. */
export function hashRequest(request: CanonicalRequest): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('hex').slice(0, 32);
}

function canonicalUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null) return text;
  url.hash = '';
  url.searchParams.sort();
  return withEqualMasks(url.href);
}

function canonicalBody({ headers, body }: RecordedRequest): unknown {
  if (body === null || body.data === '') return null;
  if (body.encoding === 'base64') return body.data;
  try {
    return canonicalJson(JSON.parse(body.data));
  } catch {
    return withEqualMasks(withoutBoundary(body.data, headers));
  }
}

/** Replaces the random boundary of a form. */
function withoutBoundary(text: string, headers: RecordedRequest['headers']): string {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  const boundary = /boundary="?([^";]+)"?/i.exec(type)?.[1];
  return boundary === undefined ? text : text.replaceAll(boundary, 'boundary');
}

/** Sorts the keys of objects, and gives the masks in texts the same length. */
function canonicalJson(value: unknown): unknown {
  if (typeof value === 'string') return withEqualMasks(value);
  if (Array.isArray(value)) return value.map(canonicalJson);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, canonicalJson(value[key])]),
  );
}

/** Gives all masks the same length, because the current secret may have another length than the recorded one. */
export function withEqualMasks(text: string): string {
  return text.replace(/\*{4,}/g, '***');
}
