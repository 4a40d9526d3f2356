import {
  binaryTag,
  CORE_SCHEMA,
  defineMappingTag,
  defineSequenceTag,
  dump,
  mapTag,
  seqTag,
  YAMLException,
} from 'js-yaml';
import { z } from 'zod';
import type { Exchange, RecordedResponse, RecordingLine } from '../contract/agent-server/exchanges.ts';
import { type BodyChunks, fromChunks, toBody, toChunks } from '../process/body-text.ts';
import { DecompressedSizeError, decompress } from '../process/decompress.ts';
import { loadYaml } from '../process/load-yaml.ts';
import { messageOf } from '../process/message-of.ts';
import { canonicalRequest, hashRequest } from '../replay/canonical-request.ts';
import { kindOfRequest } from '../replay/kind-of-request.ts';
import { Masker, type SecretValue } from '../replay/mask.ts';
import { maskExchange } from '../replay/mask-exchange.ts';

// Cassettes are the files of vcrpy: https://vcrpy.readthedocs.io

const Bytes = z.instanceof(Uint8Array);
const Text = z.union([z.string(), Bytes]);
const Header = Text.transform((value) => (typeof value === 'string' ? value : Buffer.from(value).toString()));
const Headers = z.record(z.string(), z.union([Header, z.array(Header)])).nullish();
/** For requests of aiohttp, vcrpy stores the JSON value that was passed instead of text. */
const Body = z.union([
  Text,
  z.union([z.looseObject({}), z.array(z.unknown())]).transform((value) => JSON.stringify(value)),
]);
const FileBody = z.object({ state: z.tuple([Bytes], z.unknown()) });
const IteratorBody = z.object({ args: z.tuple([z.array(Text)], z.unknown()) });

/** Adds PyYAML's tags for request bodies that were files, iterators and bytes. */
const schema = CORE_SCHEMA.withTags(
  binaryTag,
  defineSequenceTag('tag:yaml.org,2002:python/tuple', { ...seqTag, identify: () => false }),
  bodyTag('new:_io.BytesIO', (value) => FileBody.parse(value).state[0]),
  bodyTag('apply:builtins.iter', (value) => Buffer.concat(IteratorBody.parse(value).args[0].map(bytesOf))),
);

/** A tag whose mapping is read as bytes by `finalize`. Cassettes are never written with it. */
function bodyTag(name: string, finalize: (value: Record<string, unknown>) => Uint8Array) {
  return defineMappingTag<Record<string, unknown>, Uint8Array>(`tag:yaml.org,2002:python/object/${name}`, {
    ...mapTag,
    identify: () => false,
    keys: () => [],
    get: () => undefined,
    finalize,
  });
}

const Interaction = z.looseObject({
  request: z.looseObject({ method: z.string(), uri: z.string(), headers: Headers, body: Body.nullish() }),
  response: z.looseObject({
    status: z.looseObject({ code: z.int() }),
    headers: Headers,
    body: z.looseObject({ string: Text.nullish() }).nullish(),
  }),
});
type Interaction = z.output<typeof Interaction>;
const Cassette = z.looseObject({ version: z.literal(1), interactions: z.array(Interaction) });

/** The beginning of a run file. */
const RUN_FILE = /^\s*\{"kind":/;

/** Headers that describe the body as it was sent, possibly compressed. They do not apply to the recorded body. */
const SENT_BODY_HEADERS: ReadonlySet<string> = new Set([
  'content-encoding',
  'content-length',
  'transfer-encoding',
]);

/** The maximum number of parts, of about a megabyte each, that fit into one string when joined. */
const MAX_PARTS = 256;

/** A file that is not a cassette, or a recording that cannot become one. */
export class CassetteError extends Error {
  override readonly name = 'CassetteError';
}

/**
 * Writes a recording as the text of a cassette, with one exchange in memory at a time. Requests without an answer are
 * left out.
 * @throws CassetteError while iterating, when a body is too long for one string
 */
export async function* writeCassette(
  recording: AsyncIterable<RecordingLine>,
): AsyncGenerator<string, void, undefined> {
  let isEmpty = true;
  for await (const { request, response } of joinParts(recording)) {
    if (response === null) continue;
    if (isEmpty) yield 'interactions:\n';
    isEmpty = false;
    const interaction: Interaction = {
      request: {
        method: request.method.toUpperCase(),
        uri: request.url,
        headers: toHeaders(request.headers),
        body:
          request.body === null
            ? null
            : toText({ encoding: request.body.encoding, chunks: [request.body.data] }),
      },
      response: {
        status: { code: response.status, message: '' },
        headers: toHeaders(response.headers.filter(([name]) => !SENT_BODY_HEADERS.has(name.toLowerCase()))),
        body: { string: toText(response) },
      },
    };
    yield dump([interaction], { lineWidth: -1, noRefs: true });
  }
  yield isEmpty ? 'interactions: []\nversion: 1\n' : 'version: 1\n';
}

/**
 * Reads a cassette as the recording of a run, and masks its secrets.
 * @param run_id the run that the exchanges will belong to
 * @param secrets the project's secrets; the requests of its runs are masked in the same way before they are
 * compared
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
        kind: 'exchange',
        run_id,
        ordinal,
        place: { node: '', task: '' },
        hash: '',
        of: kindOfRequest(plain),
        request: plain,
        response: toResponse(request.uri, response),
      },
      masker,
    );
    return { ...exchange, hash: hashRequest(canonicalRequest(exchange.request)) };
  });
}

function parse(text: string): z.output<typeof Cassette> {
  if (RUN_FILE.test(text)) {
    throw new CassetteError(
      'This is a run file, not a cassette. Run it again with agent-harbor replay <file>, or make a cassette of it with agent-harbor cassette <file> <cassette>.',
    );
  }
  let value: unknown;
  try {
    value = loadYaml(text, { schema });
  } catch (error) {
    throw new CassetteError(`The cassette could not be read: it is not valid YAML${describePlace(error)}.`);
  }
  const parsed = Cassette.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = [...(issue?.path ?? []), ''].join('.');
  throw new CassetteError(`The cassette could not be read: ${where}${issue?.message ?? ''}`);
}

/**
 * @param error the error of the parser; the message of a `YAMLException` quotes lines of the file, so it is
 * not used
 */
function describePlace(error: unknown): string {
  if (!(error instanceof YAMLException)) return ` (${messageOf(error)})`;
  const where = error.mark === undefined ? '' : ` in line ${error.mark.line + 1}`;
  return `${where} (${error.reason})`;
}

function toResponse(url: string, { status, headers, body }: Interaction['response']): RecordedResponse {
  const sent = bytesOf(body?.string ?? '');
  const given = fromHeaders(headers);
  const encoding = given.find(([name]) => name.toLowerCase() === 'content-encoding')?.[1] ?? '';
  // vcrpy stores compressed bodies unchanged, unless it is told to decode them.
  const { encoding: kind, data } = toBody(decompressed(url, sent, encoding) ?? sent);
  return {
    status: status.code,
    headers: given.filter(([name]) => !SENT_BODY_HEADERS.has(name.toLowerCase())),
    encoding: kind,
    chunks: data === '' ? [] : [data],
  };
}

function decompressed(url: string, bytes: Uint8Array, encoding: string): Uint8Array | undefined {
  try {
    return decompress(bytes, encoding);
  } catch (error) {
    if (!(error instanceof DecompressedSizeError)) throw error;
    throw new CassetteError(
      `The cassette could not be read: its answer of ${url} is too large. ${error.message}`,
    );
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

function toText(body: BodyChunks): string | Uint8Array<ArrayBuffer> {
  return body.encoding === 'utf8' ? body.chunks.join('') : new Uint8Array(Buffer.concat(fromChunks(body)));
}

/** Joins exchanges with the parts of their bodies. */
async function* joinParts(
  recording: AsyncIterable<RecordingLine>,
): AsyncGenerator<Exchange, void, undefined> {
  let long: Exchange | undefined;
  let pieces: Buffer[] = [];
  for await (const line of recording) {
    if (line.kind === 'exchange') {
      const { parts = 0 } = line.response ?? {};
      if (parts === 0) yield line;
      else if (parts > MAX_PARTS)
        throw new CassetteError(`The answer of ${line.request.url} is too long for a cassette.`);
      long = line;
      pieces = [];
      continue;
    }
    pieces.push(...fromChunks(line));
    if (long?.response == null || line.part !== (long.response.parts ?? 0) - 1) continue;
    yield { ...long, response: { ...long.response, ...toChunks(pieces) } };
  }
}

function bytesOf(text: string | Uint8Array): Uint8Array {
  return typeof text === 'string' ? Buffer.from(text) : text;
}
