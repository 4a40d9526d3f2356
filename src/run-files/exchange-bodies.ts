import type { RecordedRequest, RecordedResponse } from '../contract/agent-server/exchanges.ts';
import { type BodyChunks, fromChunks } from '../process/body-text.ts';
import { joinEvents } from './join-events.ts';

/**
 * The body of a request as a value: JSON if it parses, else text; `{ bytes }`, their number, if it is binary.
 * @returns `undefined` without a body
 */
export function requestBody({ body }: RecordedRequest): unknown {
  if (body === null) return undefined;
  return bodyOf(Buffer.from(body.data, body.encoding), '');
}

/**
 * The body of a response as a value, as for requests; the events of a streaming model are joined.
 * @param parts all parts of a long body, which the response itself lacks
 */
export function responseBody(response: RecordedResponse, parts: readonly BodyChunks[]): unknown {
  const pieces = parts.length > 0 ? parts.flatMap(fromChunks) : fromChunks(response);
  const type = response.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  return bodyOf(Buffer.concat(pieces), type);
}

/** @param type the media type; empty if it is unknown */
function bodyOf(bytes: Buffer, type: string): unknown {
  const text = bytes.toString('utf8');
  if (text === '') return undefined;
  if (!Buffer.from(text).equals(bytes)) return { bytes: bytes.length };
  if (type.includes('event-stream')) return joinEvents(eventsOf(text));
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The data of server-sent events; JSON is parsed. */
function eventsOf(text: string): unknown[] {
  return text.split(/\r?\n\r?\n/).flatMap((event) => {
    const data = event
      .split(/\r?\n/)
      .flatMap((line) => (line.startsWith('data:') ? [line.slice('data:'.length).trimStart()] : []))
      .join('\n');
    if (data === '' || data === '[DONE]') return [];
    try {
      return [JSON.parse(data)];
    } catch {
      return [data];
    }
  });
}
