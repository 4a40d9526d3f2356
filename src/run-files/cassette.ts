import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { dump, load } from 'js-yaml';
import { z } from 'zod';
import type { Body, Exchange, RecordedResponse } from '../contract/agent-server/exchanges.ts';
import { messageOf } from '../process/message-of.ts';
import { canonicalRequest, hashRequest } from '../replay/canonical-request.ts';
import { kindOfRequest } from '../replay/kind-of-request.ts';
import { Masker, type SecretValue } from '../replay/mask.ts';
import { maskExchange } from '../replay/mask-exchange.ts';

/** Cassettes of vcrpy: https://vcrpy.readthedocs.io */

const Text = z.union([z.string(), z.instanceof(Uint8Array)]);
const Headers = z.record(z.string(), z.union([z.string(), z.array(z.string())])).nullish();
const Interaction = z.looseObject({
  request: z.looseObject({ method: z.string(), uri: z.string(), headers: Headers, body: Text.nullish() }),
  response: z.looseObject({
    status: z.looseObject({ code: z.int() }),
    headers: Headers,
    body: z.looseObject({ string: Text.nullish() }).nullish(),
  }),
});
type Interaction = z.output<typeof Interaction>;
const Cassette = z.looseObject({ version: z.literal(1), interactions: z.array(Interaction) });

/** They hold for a body as it was sent, which may have been compressed. */
const OF_THE_SENT: ReadonlySet<string> = new Set(['content-encoding', 'content-length', 'transfer-encoding']);

const DECODERS: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** A file that is no cassette. */
export class CassetteError extends Error {
  override readonly name = 'CassetteError';
  constructor(why: string) {
    super(`The cassette could not be read: ${why}`);
  }
}

/** Exchanges as the text of a cassette, piece by piece; requests that got no answer are left out. */
export async function* writeCassette(
  exchanges: AsyncIterable<Exchange>,
): AsyncGenerator<string, void, undefined> {
  let isEmpty = true;
  for await (const { request, response } of exchanges) {
    if (response === null) continue;
    if (isEmpty) yield 'interactions:\n';
    isEmpty = false;
    const interaction: Interaction = {
      request: {
        method: request.method.toUpperCase(),
        uri: request.url,
        headers: toHeaders(request.headers),
        body: request.body === null ? null : toText([request.body.data], request.body.encoding),
      },
      response: {
        status: { code: response.status, message: '' },
        headers: toHeaders(response.headers.filter(([name]) => !OF_THE_SENT.has(name.toLowerCase()))),
        body: { string: toText(response.chunks, response.encoding) },
      },
    };
    yield dump([interaction], { lineWidth: -1, noRefs: true });
  }
  yield isEmpty ? 'interactions: []\nversion: 1\n' : 'version: 1\n';
}

/**
 * What a cassette answers, as the recording of a run, without secrets.
 * @param run_id of the recording.
 * @param secrets those of the project that it answers, whose requests are compared without them.
 * @throws CassetteError
 */
export function readCassette(text: string, run_id: string, secrets: readonly SecretValue[]): Exchange[] {
  const masker = new Masker(secrets);
  return parse(text).interactions.map(({ request, response }, ordinal) => {
    const plain = {
      method: request.method,
      url: request.uri,
      headers: fromHeaders(request.headers),
      body: request.body == null ? null : toBody(bytesOf(request.body)),
    };
    const exchange = maskExchange(
      {
        ...{ kind: 'exchange', run_id, ordinal, place: { node: '', task: '' }, hash: '' },
        of: kindOfRequest(plain),
        request: plain,
        response: toResponse(response),
      },
      masker,
    );
    return { ...exchange, hash: hashRequest(canonicalRequest(exchange.request)) };
  });
}

function parse(text: string): z.output<typeof Cassette> {
  let value: unknown;
  try {
    value = load(text);
  } catch (error) {
    throw new CassetteError(`it is not valid YAML (${messageOf(error)}).`);
  }
  const parsed = Cassette.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new CassetteError(`${[...(issue?.path ?? []), ''].join('.')}${issue?.message ?? ''}`);
}

function toResponse({ status, headers, body }: Interaction['response']): RecordedResponse {
  const sent = bytesOf(body?.string ?? '');
  const given = fromHeaders(headers);
  const encoding = given.find(([name]) => name.toLowerCase() === 'content-encoding')?.[1] ?? '';
  const { encoding: kind, data } = toBody(decode(sent, encoding.toLowerCase()));
  return {
    status: status.code,
    headers: given.filter(([name]) => !OF_THE_SENT.has(name.toLowerCase())),
    encoding: kind,
    chunks: data === '' ? [] : [data],
  };
}

/** vcrpy keeps what is compressed as it came, unless it is told to decode it. */
function decode(sent: Uint8Array, encoding: string): Uint8Array {
  try {
    return DECODERS[encoding]?.(sent) ?? sent;
  } catch {
    return sent;
  }
}

function toHeaders(pairs: readonly (readonly [string, string])[]): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (const [name, value] of pairs) headers[name] = [...(headers[name] ?? []), value];
  return headers;
}

function fromHeaders(headers: z.output<typeof Headers>): [string, string][] {
  return Object.entries(headers ?? {}).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
}

function toText(pieces: readonly string[], encoding: Body['encoding']): string | Uint8Array<ArrayBuffer> {
  if (encoding === 'utf8') return pieces.join('');
  return new Uint8Array(Buffer.concat(pieces.map((piece) => Buffer.from(piece, 'base64'))));
}

function bytesOf(text: string | Uint8Array): Uint8Array {
  return typeof text === 'string' ? Buffer.from(text) : text;
}

function toBody(bytes: Uint8Array): Body {
  try {
    const data = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { encoding: 'utf8', data };
  } catch {
    return { encoding: 'base64', data: Buffer.from(bytes).toString('base64') };
  }
}
