import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { z } from 'zod';

/** An origin that answers like the APIs of models, never twice the same, and counts requests. */
export interface ModelOrigin extends AsyncDisposable {
  readonly url: string;
  readonly requests: number;
  /** Holds the answers to all requests from now on. @returns a function that releases them. */
  hold(): () => void;
  close(): Promise<void>;
}

const Asked = z.looseObject({ stream: z.boolean().optional() });

export async function modelOrigin(): Promise<ModelOrigin> {
  let requests = 0;
  const sent = new Map<string, number>();
  let held = Promise.resolve();
  const server = createServer((request, response) => {
    requests++;
    const count = requests;
    void held.then(() => answer(request, response, { count, sent }));
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It listens nowhere.');
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
    return closed;
  };
  return {
    url: `http://127.0.0.1:${address.port}`,
    get requests() {
      return requests;
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

type Exchange = Parameters<Parameters<typeof createServer>[1] & object>;

interface Asking {
  /** The number of this request, from 1. */
  readonly count: number;
  /** Bytes of long answers, by the name in their request. */
  readonly sent: Map<string, number>;
}

async function answer(request: Exchange[0], response: Exchange[1], { count, sent }: Asking): Promise<void> {
  const body = await text(request);
  const said = `answer ${count}`;
  const url = new URL(request.url ?? '/', 'http://origin');
  const path = url.pathname;
  if (path === '/v1/chat/completions' && Asked.parse(JSON.parse(body)).stream) {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'set-cookie': 'id=origin-cookie-secret' });
    response.write(COMMENT);
    for (const word of [...said.split(' '), 'ünd', '🙂']) {
      const chunk = completion({ delta: { content: `${word} ` } }, count);
      await sendPiece(response, `data: ${JSON.stringify(chunk)}\n\n`);
    }
    response.end('data: [DONE]\n\n');
  } else if (path === '/v1/chat/completions') {
    const message = { role: 'assistant', content: said };
    sendJson(response, completion({ message, finish_reason: 'stop' }, count));
  } else if (path === '/v1/messages') {
    const content = [{ type: 'text', text: said }];
    const usage = { input_tokens: 1, output_tokens: 1 };
    const rest = {
      type: 'message',
      role: 'assistant',
      model: 'm',
      stop_reason: 'end_turn',
      stop_sequence: null,
    };
    sendJson(response, { id: `msg_${count}`, content, usage, ...rest });
  } else if (path === '/stream') {
    for (const word of [said, ...body.split(' ')]) await sendPiece(response, `${word}\n`);
    response.end();
  } else if (path === '/long') {
    const name = url.searchParams.get('name') ?? '';
    // Tests that compare what was read request an answer that a recording keeps unchanged.
    const piece = url.searchParams.has('public') ? PUBLIC_PIECE : PIECE;
    const bytes = Number(url.searchParams.get('bytes'));
    await sendLong(response, { piece, bytes }, (count) => sent.set(name, count));
  } else if (path === '/sent') {
    response.end(String(sent.get(url.searchParams.get('name') ?? '') ?? 0));
  } else if (path === '/broken') {
    response.writeHead(200, { 'content-length': 100 });
    response.write('half of it', () => response.destroy());
  } else if (path === '/silent') {
    // Nothing is sent: the reader has a short time limit.
  } else if (request.headers['accept-encoding'] === 'gzip') {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.end(gzipSync(JSON.stringify({ path, said, body, api_key: 'tool-secret-2' })));
  } else {
    sendJson(response, { path, said, body });
  }
}

/** More than any client reads at once, so that every stream arrives in pieces. */
const COMMENT = `: ${'.'.repeat(200_000)}\n\n`;

/** The content of long answers: a secret in every kilobyte. */
const PIECE = pieceOf('{"api_key": "tool-secret-long", "text": "');
const PUBLIC_PIECE = pieceOf('{"id": "tool-answer-long", "text": "');

function pieceOf(start: string): Buffer {
  const kilobyte = Buffer.from(`${start.padEnd(1021, 'long ')}"}\n`);
  return Buffer.concat(Array.from({ length: 64 }, () => kilobyte));
}

/** Writes as fast as the reader reads. */
async function sendLong(
  response: Exchange[1],
  { piece, bytes }: { readonly piece: Buffer; readonly bytes: number },
  onSent: (bytes: number) => void,
): Promise<void> {
  const pieces = function* () {
    for (let sent = 0; sent < bytes; sent += piece.length) {
      onSent(sent);
      yield piece.subarray(0, bytes - sent);
    }
  };
  await pipeline(Readable.from(pieces()), response).catch(() => {});
}

/** Sends a piece in its own packet. */
async function sendPiece(response: Exchange[1], piece: string): Promise<void> {
  response.write(piece);
  await new Promise((resolve) => setTimeout(resolve, 5));
}

function completion(choice: object, count: number): object {
  return {
    id: `chatcmpl-${count}`,
    object: 'chat.completion',
    created: count,
    model: 'm',
    choices: [{ index: 0, ...choice }],
  };
}

function sendJson(response: Exchange[1], value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}
