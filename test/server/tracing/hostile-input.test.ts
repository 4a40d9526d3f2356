import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { platformBundle } from '../../support/platform-bundle.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { BOUNDARY, multipartBody, newRun, postParts, type TestRun } from '../../support/traces.ts';

const MIB = 1_048_576;
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** A part as text, with its header lines as given. */
function rawPart(headers: readonly string[], content: string, newline = '\r\n'): string {
  return [`--${BOUNDARY}`, ...headers, '', content, ''].join(newline);
}
const END = `--${BOUNDARY}--\r\n`;

/** The server has its own process, so that only its memory is measured. */
describe('hostile input', function () {
  this.timeout(60_000);
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let child: ChildProcess;
  let url: string;
  let key: string;
  let bystander: TestRun;

  before(async () => {
    folder = await temporaryFolder();
    const { script, worker } = await platformBundle();
    child = spawn(process.execPath, [script, folder.path, worker], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    assert.ok(child.stdout);
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    ({ url, key } = JSON.parse(line) as { url: string; key: string });
    bystander = newRun({ name: 'bystander' });
    assert.equal((await send(multipartBody(postParts(bystander)))).status, 202);
  });
  after(async () => {
    const gone = once(child, 'exit');
    child.kill();
    await gone;
    await folder[Symbol.asyncDispose]();
  });
  afterEach(async () => {
    // Nothing is stored halfway: no span, no project, no file.
    const { runs } = (await (
      await request('/runs/query', JSON.stringify({ session: await sessions(), select: ['name'] }))
    ).json()) as { runs: { name: string }[] };
    assert.deepEqual(
      runs.map(({ name }) => name),
      ['bystander'],
    );
    assert.deepEqual(readdirSync(path.join(folder.path, 'blobs', 'staging')), []);
  });

  async function sessions(): Promise<string[]> {
    const list = (await (await fetch(`${url}/sessions`, { headers: { 'x-api-key': key } })).json()) as {
      id: string;
    }[];
    return list.map(({ id }) => id);
  }
  function request(
    route: string,
    body: NonNullable<RequestInit['body']>,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return fetch(`${url}${route}`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
      body,
      duplex: 'half',
    } as RequestInit);
  }
  const send = (body: NonNullable<RequestInit['body']>, headers: Record<string, string> = {}) =>
    request('/runs/multipart', body, { 'content-type': TYPE, ...headers });
  /** The peak memory of the server, in bytes; 0 where the system does not report it. */
  function peak(): number {
    if (process.platform !== 'linux') return 0;
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
  }
  async function assertRefused(response: Response, status: number, message: RegExp): Promise<void> {
    const text = await response.text();
    assert.equal(response.status, status, text);
    assert.match(text, message);
  }

  it('of 200 MB in one payload is refused while it arrives, with bounded memory', async () => {
    const before = peak();
    const run = newRun();
    async function* body() {
      yield multipartBody(postParts(run)).subarray(0, -`--${BOUNDARY}--\r\n`.length);
      yield Buffer.from(
        `--${BOUNDARY}\r\nContent-Disposition: form-data; name="post.${run.id}.inputs"\r\nContent-Type: application/json\r\n\r\n{"a":"`,
      );
      const chunk = Buffer.alloc(MIB, 'x');
      for (let at = 0; at < 200; at++) yield chunk;
      yield Buffer.from(`"}\r\n${END}`);
    }
    const answer = await send(Readable.toWeb(Readable.from(body())) as ReadableStream);
    await assertRefused(answer, 413, /A part is larger than 64 MiB/);
    assert.ok(peak() - before < 400 * MIB, `${Math.round((peak() - before) / MIB)} MiB`);
  });

  it('that decompresses without end is refused with bounded memory, in every encoding and at every endpoint', async () => {
    const before = peak();
    const zeros = Buffer.alloc(260 * MIB, 0x20);
    const bombs = {
      gzip: gzipSync(zeros, { level: 1 }),
      zstd: zstdCompressSync(zeros),
      br: brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
    };
    for (const [encoding, bomb] of Object.entries(bombs)) {
      const headers = { 'content-encoding': encoding };
      await assertRefused(await request('/runs/batch', bomb, headers), 413, /larger than/);
      const otlp = { ...headers, 'content-type': 'application/x-protobuf' };
      await assertRefused(await request('/otel/v1/traces', bomb, otlp), 413, /larger than/);
      // White space alone is not multipart, however much of it there is.
      const status = (await send(bomb, headers)).status;
      assert.ok(status === 413 || status === 422, `${encoding}: ${status}`);
    }
    assert.ok(peak() - before < 500 * MIB, `${Math.round((peak() - before) / MIB)} MiB`);
  });

  describe('in multipart is refused with', () => {
    const run = newRun();
    const disposition = `Content-Disposition: form-data; name="post.${run.id}"`;
    const json = 'Content-Type: application/json';
    const good = rawPart([disposition, json], JSON.stringify(run));
    const cases: [string, string, number, RegExp][] = [
      ['a part without Content-Disposition', `${good}${rawPart([json], '{}')}${END}`, 422, /no name/],
      [
        'a part without a name',
        `${good}${rawPart(['Content-Disposition: form-data', json], '{}')}${END}`,
        422,
        /no name/,
      ],
      [
        'another disposition',
        `${good}${rawPart([`Content-Disposition: attachment; name="post.${run.id}"`, json], '{}')}${END}`,
        422,
        /form-data/,
      ],
      ['no Content-Type', rawPart([disposition], JSON.stringify(run)) + END, 422, /no Content-Type/],
      [
        'a Content-Type that is not JSON',
        rawPart([disposition, 'Content-Type: text/plain'], JSON.stringify(run)) + END,
        422,
        /must be application\/json/,
      ],
      [
        'an encoding of its own',
        rawPart([disposition, json, 'Content-Encoding: gzip'], '{}') + END,
        422,
        /its own Content-Encoding/,
      ],
      [
        'a length that is not a number',
        rawPart([disposition, `${json}; length=many`], JSON.stringify(run)) + END,
        422,
        /bytes, but declares many/,
      ],
      [
        'a negative length',
        rawPart([disposition, json, 'Content-Length: -1'], JSON.stringify(run)) + END,
        422,
        /bytes, but declares -1/,
      ],
      [
        'a header without end',
        rawPart([disposition, json, `X-Long: ${'x'.repeat(20_000)}`], '{}') + END,
        422,
        /header/i,
      ],
      ['a part without a body', `--${BOUNDARY}\r\n${disposition}\r\n${END}`, 422, /./],
      ['bare line feeds', rawPart([disposition, json], JSON.stringify(run), '\n') + END, 422, /./],
      [
        'a part sent twice',
        `${rawPart([disposition, json], '[]')}${rawPart([disposition, json], '[]')}${END}`,
        422,
        /twice|must be a JSON object/,
      ],
      [
        'an attachment without a name',
        rawPart(
          [`Content-Disposition: form-data; name="attachment.${run.id}"`, 'Content-Type: text/plain'],
          'x',
        ) + END,
        422,
        /has no attachment name/,
      ],
      [
        'an attachment without a run',
        rawPart(
          [`Content-Disposition: form-data; name="attachment.${run.id}.a"`, 'Content-Type: text/plain'],
          'x',
        ) + END,
        422,
        /does not exist/,
      ],
      [
        'an attachment that climbs out of its folder',
        rawPart(
          [
            `Content-Disposition: form-data; name="attachment.${run.id}.../../../etc/passwd"`,
            'Content-Type: text/plain',
          ],
          'x',
        ) + END,
        422,
        /does not exist/,
      ],
      [
        'feedback without a key',
        rawPart([`Content-Disposition: form-data; name="feedback.${run.id}"`, json], '{}') + END,
        422,
        /key/,
      ],
      [
        'another run’s id inside',
        rawPart([disposition, json], JSON.stringify(newRun())) + END,
        422,
        /must contain the ID of its run/,
      ],
      [
        'text instead of a JSON object',
        rawPart([disposition, json], '"text"') + END,
        422,
        /must be a JSON object/,
      ],
      ['null', rawPart([disposition, json], 'null') + END, 422, /must be a JSON object/],
    ];
    for (const [what, body, status, message] of cases) {
      it(what, async () => assertRefused(await send(body), status, message));
    }

    it('too many parts', async () => {
      const small = rawPart([`Content-Disposition: form-data; name="post.${run.id}.inputs"`, json], '{}');
      await assertRefused(await send(small.repeat(20_001) + END), 422, /./);
    });
  });

  describe('in JSON is refused with', () => {
    const run = newRun();
    const deep = `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`;
    const cases: [string, string | Buffer, RegExp][] = [
      ['nesting without end', `{"post":[{"id":"${run.id}","inputs":${deep}}]}`, /nested deeper|./],
      ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), /UTF-8/],
      ['a list where an object belongs', '[]', /./],
      ['a run that is not an object', '{"post":[1]}', /./],
      ['a run without an id', '{"post":[{"name":"x"}]}', /id/],
      ['an id of another kind', '{"post":[{"id":{"$ne":null},"name":"x"}]}', /id/],
      ['a name of another kind', JSON.stringify({ post: [{ ...run, name: { a: 1 } }] }), /name/],
      ['tags of another kind', JSON.stringify({ post: [{ ...run, tags: [1] }] }), /tags/],
      [
        'a number that is not a time',
        JSON.stringify({ post: [{ ...run, start_time: 1e300 }] }),
        /start_time/,
      ],
      [
        'a time before 1970',
        JSON.stringify({ post: [{ ...run, start_time: '1901-01-01T00:00:00Z' }] }),
        /1970/,
      ],
      [
        'an end in the future',
        JSON.stringify({ post: [{ ...run, end_time: new Date(Date.now() + 5 * 86_400_000).toISOString() }] }),
        /future/,
      ],
      ['a run below itself', JSON.stringify({ post: [{ ...run, parent_run_id: run.id }] }), /./],
    ];
    for (const [what, body, message] of cases) {
      it(what, async () => assertRefused(await request('/runs/batch', body), 422, message));
    }

    it('the ID of an existing run, with different content', async () => {
      const other = { ...bystander, name: 'impostor' };
      await assertRefused(
        await request('/runs/batch', JSON.stringify({ post: [other] })),
        422,
        /already posted/,
      );
      await assertRefused(await request('/runs', JSON.stringify(other)), 409, /already posted/);
    });

    it('one ID twice in a request, with different content', async () => {
      const twice = [
        { ...run, name: 5 },
        { ...run, name: 6 },
      ];
      await assertRefused(await request('/runs/batch', JSON.stringify({ post: twice })), 422, /twice|name/);
    });
  });
});

describe('a large request', function () {
  this.timeout(60_000);

  it('of two payloads of 50 MB is stored, and can be read back', async () => {
    const { startPlatform } = await import('../../support/platform.ts');
    const platform = await startPlatform();
    try {
      const runs = Array.from({ length: 2 }, () => newRun());
      const text = 'x'.repeat(50 * 1_000_000);
      const sent = await platform.fetch('/runs/multipart', {
        method: 'POST',
        headers: { 'content-type': TYPE },
        body: Buffer.concat([
          ...runs.map((run) => multipartBody(postParts(run, { inputs: { text } })).subarray(0, -END.length)),
          Buffer.from(END),
        ]),
      });
      assert.equal(sent.status, 202, await sent.text());
      const folder = path.join(platform.dataDir, 'blobs', 'ttl_14d');
      if (existsSync(folder)) assert.equal(readdirSync(folder).length, 2);
      const [first] = runs;
      const read = (await (await platform.fetch(`/runs/${first?.id}`)).json()) as {
        inputs: { text: string };
      };
      assert.equal(read.inputs.text.length, text.length);
    } finally {
      await platform.close();
    }
  });
});
