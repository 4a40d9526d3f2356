import assert from 'node:assert/strict';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { readCassette } from '../../src/run-files/cassette.ts';

/** A cassette as vcrpy 9 writes it. */
function cassette(body: string, answer = "'{}'", header = 'text/plain'): string {
  return `interactions:
- request:
    body: ${body}
    headers:
      X-Sent:
      - ${header}
    method: POST
    uri: http://127.0.0.1:1/x
  response:
    body:
      string: ${answer}
    headers:
      content-encoding:
      - gzip
    status:
      code: 200
      message: OK
version: 1
`;
}

const binary = (bytes: Uint8Array) => `!!binary |\n        ${Buffer.from(bytes).toString('base64')}`;

function requestBody(body: string): unknown {
  const [exchange] = readCassette(cassette(body), 'run', []);
  return exchange?.request.body;
}

describe('reading a cassette that vcrpy wrote', () => {
  it('takes answers that are compressed, and bytes in bodies and headers', () => {
    const text = cassette(
      binary(Buffer.from([0xff, 0xfe])),
      binary(gzipSync('{"said":"yes"}')),
      '!!binary |\n        Ynl0ZXM=',
    );
    const [exchange] = readCassette(text, 'run', []);
    assert.deepEqual(exchange?.request.body, { encoding: 'base64', data: '//4=' });
    assert.deepEqual(exchange?.request.headers, [['X-Sent', 'bytes']]);
    assert.deepEqual(exchange?.response?.chunks, ['{"said":"yes"}']);
  });

  it('takes the body from a file, and from an iterator', () => {
    const file = `!!python/object/new:_io.BytesIO
      state: !!python/tuple
      - !!binary |
        YWJj
      - 0
      - null`;
    const iterator = `!!python/object/apply:builtins.iter
      args:
      - - !!binary |
          YQ==
        - !!binary |
          Yg==
      state: 0`;
    assert.deepEqual(requestBody(file), { encoding: 'utf8', data: 'abc' });
    assert.deepEqual(requestBody(iterator), { encoding: 'utf8', data: 'ab' });
  });

  it('takes JSON that aiohttp was given as a value', () => {
    assert.deepEqual(requestBody('\n      q: "yes"\n      n: [1, null]'), {
      encoding: 'utf8',
      data: '{"q":"yes","n":[1,null]}',
    });
  });

  it('refuses an answer that is a thousand times as large once it is decompressed', () => {
    const large = Buffer.alloc(65 * 1024 * 1024);
    for (const [encoding, bomb] of [
      ['gzip', gzipSync(large)],
      ['deflate', deflateSync(large)],
      ['br', brotliCompressSync(large, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ] as const) {
      const text = cassette('x', binary(bomb)).replace('- gzip', `- ${encoding}`);
      assert.throws(
        () => readCassette(text, 'run', []),
        /its answer of http:\/\/127\.0\.0\.1:1\/x is too large\. It is larger than 64 MiB/,
      );
    }
  });

  it('refuses aliases that expand beyond any memory, or refer to themselves', () => {
    const levels = Array.from({ length: 9 }, (_, at) => {
      const below = at === 0 ? "'lol'" : `*a${at - 1}`;
      return `a${at}: &a${at} [${Array(9).fill(below).join(', ')}]`;
    });
    assert.throws(() => requestBody(`{${levels.join(', ')}}`), /its aliases expand to too much data/);
    assert.throws(
      () => requestBody('&a [*a]'),
      /an alias refers to a value that contains it|unidentified alias/,
    );
    assert.deepEqual(requestBody('{a: &a [1], b: *a}'), { encoding: 'utf8', data: '{"a":[1],"b":[1]}' });
  });
});
