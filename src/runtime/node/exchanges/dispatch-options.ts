import { isRecord } from '../langgraph-types.ts';

/** The URL of an undici request; a client for a single origin passes only the path. */
export function readUrl(
  dispatcher: object,
  { origin, path, query }: Readonly<Record<string, unknown>>,
): string {
  const url = new URL(String(path ?? '/'), String(origin ?? originOf(dispatcher)));
  for (const [name, value] of Object.entries(isRecord(query) ? query : {})) {
    for (const item of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(item));
  }
  return url.href;
}

/** The headers of an undici request: an object, a list of names and values, or pairs. */
export function readHeaders(headers: unknown): [string, string][] {
  if (headers === null || headers === undefined) return [];
  if (Array.isArray(headers) && !Array.isArray(headers[0])) return pairsOf(headers);
  const entries = isIterable(headers) ? [...headers] : Object.entries(headers);
  return entries.flatMap((entry) => (Array.isArray(entry) ? pairsOf(entry) : []));
}

/** Pairs up a list of alternating names and values, which are text or bytes. */
export function pairsOf(list: readonly unknown[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < list.length; at += 2) {
    const value = list[at + 1];
    for (const item of Array.isArray(value) ? value : [value]) pairs.push([textOf(list[at]), textOf(item)]);
  }
  return pairs;
}

/** The whole body of an undici request. */
export async function readBody(body: unknown): Promise<Uint8Array | null> {
  if (body === null || body === undefined) return null;
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  if (!isAsyncIterable(body) && !isIterable(body)) throw new TypeError(UNREADABLE);
  const pieces: Uint8Array[] = [];
  for await (const piece of body) {
    if (typeof piece !== 'string' && !(piece instanceof Uint8Array)) throw new TypeError(UNREADABLE);
    pieces.push(Buffer.from(piece));
  }
  return Buffer.concat(pieces);
}

const UNREADABLE =
  'A request of undici was not recorded: its body must be text, bytes or a stream of them. Send it with fetch.';

/** The origin of a client for a single origin, which undici keeps under a symbol that it does not export. */
function originOf(dispatcher: object): unknown {
  const key = Object.getOwnPropertySymbols(dispatcher).find(({ description }) => description === 'url');
  return key === undefined ? undefined : Reflect.get(dispatcher, key);
}

function textOf(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value);
}

function isIterable(value: object): value is Iterable<unknown> {
  return Symbol.iterator in value;
}

function isAsyncIterable(value: object): value is AsyncIterable<unknown> {
  return Symbol.asyncIterator in value;
}
