import assert from 'node:assert/strict';
import {
  MultipartError,
  MultipartParser,
  type MultipartPart,
  MultipartTooLarge,
} from '../../../src/server/http/multipart-parser.ts';

const LIMITS = { headerBytes: 200, partBytes: 1000, totalBytes: 2000, parts: 5 };
const BODY = [
  '--edge\r\nContent-Disposition: form-data; name="a"\r\nContent-Type: text/plain\r\n\r\nfirst',
  // Text that only begins like a delimiter is content.
  '\r\n--edge\r\nX-Two: 1\r\nx-two: 2\r\n\r\n\r\n--edg',
  '\r\n--edge\r\nName: é\r\n\r\n',
  '\r\n--edge--\r\nafter the end',
].join('');

function read(chunks: readonly Uint8Array[], limits = LIMITS): MultipartPart[] {
  const parser = new MultipartParser('edge', limits);
  const parts = chunks.flatMap((chunk) => parser.write(chunk));
  parser.finish();
  return parts;
}
const readText = (text: string, limits = LIMITS) => read([Buffer.from(text)], limits);
const said = (parts: readonly MultipartPart[]) =>
  parts.map(({ headers, content, length }) => ({
    headers: Object.fromEntries(headers),
    content: Buffer.concat(content).toString(),
    length,
  }));

const EXPECTED = [
  {
    headers: { 'content-disposition': 'form-data; name="a"', 'content-type': 'text/plain' },
    content: 'first',
    length: 5,
  },
  { headers: { 'x-two': '1, 2' }, content: '\r\n--edg', length: 7 },
];

describe('a multipart body', () => {
  it('is read into its parts', () => {
    const body = BODY;
    assert.deepEqual(said(readText(body)), [...EXPECTED, { headers: { name: 'é' }, content: '', length: 0 }]);
  });

  it('is read the same wherever it is cut into two or three chunks', () => {
    const bytes = Buffer.from(BODY);
    const whole = said(read([bytes]));
    for (let first = 0; first <= bytes.length; first++) {
      for (let second = first; second <= bytes.length; second += 7) {
        const chunks = [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)];
        assert.deepEqual(said(read(chunks)), whole, `cut at ${first} and ${second}`);
      }
    }
  });

  it('is read the same byte by byte', () => {
    const bytes = Buffer.from(BODY);
    assert.deepEqual(said(read(Array.from(bytes, (byte) => Buffer.from([byte])))), said(read([bytes])));
  });

  it('yields a part as soon as the delimiter after it has arrived', () => {
    const parser = new MultipartParser('edge', LIMITS);
    assert.deepEqual(parser.write(Buffer.from('--edge\r\nA: b\r\n\r\ncontent\r\n--ed')), []);
    assert.equal(parser.write(Buffer.from('ge')).length, 1);
  });

  it('keeps a large part in the pieces that came, without copying them', () => {
    const parser = new MultipartParser('edge', { ...LIMITS, partBytes: 1e6, totalBytes: 1e6 });
    parser.write(Buffer.from('--edge\r\nA: b\r\n\r\n'));
    const chunk = Buffer.alloc(100_000, 'x');
    parser.write(chunk);
    const [part] = parser.write(Buffer.from('\r\n--edge--'));
    assert.equal(part?.length, 100_000);
    assert.equal(part?.content[0]?.buffer, chunk.buffer);
  });

  it('has a part without headers as one of its parts', () => {
    const body = '--edge\r\n\r\nhello\r\n--edge\r\nA: b\r\n\r\n{}\r\n--edge--';
    const expected = [
      { headers: {}, content: 'hello', length: 5 },
      { headers: { a: 'b' }, content: '{}', length: 2 },
    ];
    assert.deepEqual(said(readText(body)), expected);
    assert.deepEqual(said(read(Array.from(Buffer.from(body), (byte) => Buffer.from([byte])))), expected);
  });

  it('has the lines of a header that say something', () => {
    const header = 'no colon\r\n: no name\r\nCONTENT-type :  a:b \r\nContent-Type: c\r\nEmpty:\r\nlast';
    const [read] = said(readText(`--edge\r\n${header}\r\n\r\n{}\r\n--edge--`));
    assert.deepEqual(read?.headers, { 'content-type': 'a:b, c', empty: '' });
  });

  const part = '--edge\r\nA: b\r\n\r\n';
  for (const [what, body, message] of [
    ['has something before its first boundary', `x${part}\r\n--edge--`, /begin with the boundary/],
    ['has a boundary that goes on', `${part}1\r\n--edges\r\n\r\n`, /not followed by CRLF/],
    ['separates lines by line feeds alone', part.replaceAll('\r', ''), /not followed by CRLF/],
    ['ends within a header', '--edge\r\nA: b', /not finished/],
    ['ends within a part', `${part}1`, /not finished/],
    ['ends before the last delimiter is whole', `${part}1\r\n--edge-`, /not finished/],
    ['has a part that ends within its header', `--edge\r\nA: b\r\n${part}1\r\n--edge--`, /within its header/],
    ['has a part of nothing at all', `--edge\r\n${part}1\r\n--edge--`, /within its header/],
    ['is empty', '', /not finished/],
    ['has a header without end', `--edge\r\nA: ${'x'.repeat(300)}`, /larger than 200 bytes/],
    ['has a header that is too large', `--edge\r\nA: ${'x'.repeat(300)}\r\n\r\n`, /larger than 200 bytes/],
    ['has too many parts', `${`${part}1\r\n`.repeat(6)}--edge--`, /more than 5 parts/],
  ] as const) {
    it(`that ${what} is refused`, () => {
      assert.throws(
        () => readText(body),
        (error) => error instanceof MultipartError && message.test(error.message),
      );
    });
  }

  it('with a header that is not UTF-8 is refused', () => {
    assert.throws(() => read([Buffer.from(`--edge\r\nA: \xff\r\n\r\n`, 'latin1')]), /not valid UTF-8/);
  });

  it('with a part over the limit is refused before the part has ended', () => {
    const chunks = [Buffer.from(part), Buffer.alloc(1100, 'x')];
    assert.throws(
      () => read(chunks),
      (error) => error instanceof MultipartTooLarge && error.what === 'part',
    );
  });

  it('with content over the limit is refused', () => {
    const body = `${`${part}${'x'.repeat(900)}\r\n`.repeat(3)}--edge--`;
    assert.throws(
      () => readText(body),
      (error) => error instanceof MultipartTooLarge && error.what === 'body',
    );
  });
});
