import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createConnection, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { decodePieces, readJson, readRawBytes } from '../../../src/server/http/body.ts';
import { HttpError } from '../../../src/server/http/errors.ts';
import { Origin } from '../../../src/server/http/origin.ts';
import { sendError } from '../../../src/server/http/send-error.ts';
import { makeLogger } from '../../../src/server/logger.ts';

const MIB = 1024 * 1024;
/** More than fits into the buffers of both ends of a connection. */
const BODY = gzipSync(randomBytes(24 * MIB), { level: 0 });
const CHUNKED = Buffer.concat([
  Buffer.from(`${BODY.length.toString(16)}\r\n`),
  BODY,
  Buffer.from('\r\n0\r\n\r\n'),
]);

describe('an answer to a body that is not read to its end', () => {
  let origin: Origin;
  const logger = makeLogger({ level: 'silent' });
  const readers = new Map<string | undefined, (request: IncomingMessage) => Promise<unknown>>([
    ['/whole', (request) => readJson(request, MIB)],
    ['/raw', (request) => readRawBytes(request, MIB)],
    ['/misencoded', (request) => readJson(request, 100 * MIB)],
    ['/pieces', (request) => readPieces(decodePieces(request))],
  ]);
  before(async () => {
    origin = await Origin.listen(0, (request, response) => {
      const read = readers.get(request.url) ?? (() => Promise.resolve());
      read(request).then(
        () => response.end(),
        (error: unknown) => sendError(request, response, { error, requestId: '1', logger }),
      );
    });
  });
  after(() => origin.close());

  const tooLarge = /^HTTP\/1\.1 413 .*larger than/s;
  const unreadable = /^HTTP\/1\.1 400 .*could not be read/s;
  const chunked = 'Transfer-Encoding: chunked';
  for (const [body, path, encoding, length, answer] of [
    ['one without an encoding', '/whole', 'identity', chunked, tooLarge],
    ['one that is not decoded', '/raw', 'gzip', chunked, tooLarge],
    ['one that says it is too large', '/whole', 'identity', `Content-Length: ${CHUNKED.length}`, tooLarge],
    ['a compressed one that is read whole', '/whole', 'gzip', chunked, tooLarge],
    ['a compressed one that is read in pieces', '/pieces', 'gzip', chunked, tooLarge],
    ['one that is not encoded as it says', '/misencoded', 'zstd', chunked, unreadable],
  ] as const) {
    it(`reaches a client that sends everything first: ${body}`, async () => {
      const socket = createConnection(origin.port, '127.0.0.1').pause();
      await once(socket, 'connect');
      const head = [
        `POST ${path} HTTP/1.1`,
        `Host: 127.0.0.1:${origin.port}`,
        'Connection: close',
        `Content-Encoding: ${encoding}`,
        length,
      ];
      await write(socket, Buffer.from(`${head.join('\r\n')}\r\n\r\n`));
      await write(socket, CHUNKED);
      assert.match(await text(socket), answer);
    });
  }
});

/** @throws HttpError 413 at the second MiB. */
async function readPieces(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > MIB) throw new HttpError(413, 'The body is larger than 1 MiB.', { connection: 'close' });
  }
}

/** Resolves when all of it was sent. @throws if the connection breaks before */
function write(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}
