import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { z } from 'zod';
import { type Platform, startPlatform } from '../../support/platform.ts';
import {
  BOUNDARY,
  multipartBody,
  newRun,
  postParts,
  readRun,
  runNames,
  sendBody,
  sendParts,
  sessionId,
} from '../../support/traces.ts';

interface Refused {
  detail: { loc: string[]; msg: string; type: string }[];
}

const Updated = z.looseObject({
  name: z.string(),
  tags: z.array(z.string()),
  end_time: z.string(),
  extra: z.looseObject({ metadata: z.unknown() }),
});

describe('trace ingestion', () => {
  let platform: Platform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.close());

  for (const length of ['header', 'parameter', 'none'] as const) {
    it(`accepts multipart parts with their length in ${length}`, async () => {
      const run = newRun();
      const response = await sendParts(platform, [
        { name: `post.${run.id}`, content: run, length },
        { name: `post.${run.id}.inputs`, content: { question: 'why?' }, length },
        { name: `post.${run.id}.outputs`, content: { answer: 42 }, length },
        { name: `post.${run.id}.events`, content: [{ name: 'new_token' }], length },
      ]);
      assert.equal(response.status, 202);
      const read = await readRun(platform, run.id);
      assert.deepEqual(
        [read.inputs, read.outputs, read.events],
        [{ question: 'why?' }, { answer: 42 }, [{ name: 'new_token' }]],
      );
    });
  }

  for (const [encoding, compress] of [
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ] as const) {
    it(`accepts bodies in ${encoding}, of any size, and refuses what is cut off`, async () => {
      // One body is small, one is far larger than its compressed form, and one is large even when compressed.
      for (const text of ['x'.repeat(100_000), 'x'.repeat(3_000_000), randomBytes(150_000).toString('hex')]) {
        const run = newRun();
        const body = compress(multipartBody(postParts(run, { inputs: { text } })));
        const headers = { 'content-encoding': encoding };
        const cut = await sendBody(platform, body.subarray(0, body.length - 10), headers);
        assert.equal(cut.status, 422);
        assert.match(await cut.text(), /Content-Encoding/);
        assert.equal((await sendBody(platform, body, headers)).status, 202);
        assert.deepEqual((await readRun(platform, run.id)).inputs, { text });
      }
    });
  }

  it('accepts posts and patches in any order within a request and between requests', async () => {
    const run = newRun();
    const patch = {
      name: `patch.${run.id}`,
      content: { id: run.id, trace_id: run.trace_id, dotted_order: run.dotted_order, end_time: Date.now() },
    };
    const outputs = { name: `patch.${run.id}.outputs`, content: { done: true } };
    assert.equal((await sendParts(platform, [outputs, patch])).status, 202);
    assert.equal((await platform.fetch(`/runs/${run.id}`)).status, 404);
    assert.equal((await sendParts(platform, postParts(run, { inputs: { a: 1 } }))).status, 202);
    const read = await readRun(platform, run.id);
    assert.deepEqual([read.inputs, read.outputs, read.status], [{ a: 1 }, { done: true }, 'success']);
  });

  for (const when of ['after its run', 'with its run', 'before its run'] as const)
    it(`applies several updates of one run in their order, in a request that comes ${when}`, async () => {
      const run = newRun();
      const { id, trace_id, dotted_order } = run;
      const main = { id, trace_id, dotted_order };
      const endMs = Date.parse(run.start_time) + 5_000;
      const post = postParts(run, { inputs: { a: 1 } });
      const updates = [
        { name: `patch.${id}`, content: { ...main, tags: ['a'], end_time: run.start_time } },
        { name: `patch.${id}.outputs`, content: { first: 1 } },
        { name: `patch.${id}.extra`, content: { metadata: { user: 'u1' } } },
        { name: `patch.${id}`, content: { ...main, end_time: new Date(endMs).toISOString() } },
        { name: `patch.${id}`, content: { ...main, name: 'renamed' } },
        { name: `patch.${id}.outputs`, content: { second: 2 } },
      ];
      const requests = {
        'after its run': [post, updates],
        'with its run': [[...updates, ...post]],
        'before its run': [updates, post],
      }[when];
      for (const parts of requests) {
        const response = await sendParts(platform, parts);
        assert.equal(response.status, 202, await response.text());
      }
      const read = Updated.parse(await readRun(platform, id));
      assert.deepEqual(
        [read.name, read.tags, read.inputs, read.outputs, read.status],
        ['renamed', ['a'], { a: 1 }, { second: 2 }, 'success'],
      );
      assert.deepEqual([Date.parse(read.end_time), read.extra.metadata], [endMs, { user: 'u1' }]);
    });

  it('stores repeated runs once, and adds missing parts', async () => {
    const run = newRun();
    const parts = postParts(run, { inputs: { a: 1 } });
    assert.equal((await sendParts(platform, parts)).status, 202);
    assert.equal((await sendParts(platform, parts)).status, 202);
    assert.equal(
      (await sendParts(platform, postParts(run, { inputs: { a: 1 }, outputs: { b: 2 } }))).status,
      202,
    );
    const read = await readRun(platform, run.id);
    assert.deepEqual([read.inputs, read.outputs], [{ a: 1 }, { b: 2 }]);
    assert.equal((await runNames(platform, { trace: run.trace_id })).length, 1);
  });

  it('stores the valid runs of a request, reports invalid ones, and accepts it again', async () => {
    const good = newRun({ name: 'good' });
    const bad = { ...newRun(), dotted_order: 'nonsense' };
    const parts = [...postParts(good), ...postParts(bad)];
    for (const _ of [1, 2]) {
      const response = await sendParts(platform, parts);
      assert.equal(response.status, 422);
      const { detail } = (await response.json()) as Refused;
      assert.equal(detail.length, 1);
      assert.deepEqual(detail[0]?.loc, ['body', `post.${bad.id}`]);
      assert.match(detail[0]?.msg ?? '', new RegExp(`dotted_order.*${bad.id}`));
    }
    assert.equal((await readRun(platform, good.id)).name, 'good');
    assert.equal((await platform.fetch(`/runs/${bad.id}`)).status, 404);
  });

  describe('checks', () => {
    const root = newRun();
    const child = newRun({ parent: root });
    const cases: [string, Record<string, unknown>, RegExp][] = [
      ['a run without trace_id', { ...newRun(), trace_id: undefined }, /trace_id is required/],
      ['a run without dotted_order', { ...newRun(), dotted_order: undefined }, /dotted_order is required/],
      ['a root with two parts', { ...child, parent_run_id: undefined }, /single part for root runs/],
      [
        'a child with one part',
        { ...root, parent_run_id: randomUUID() },
        /at least two parts for child runs/,
      ],
      [
        'a trace_id that is not the first part',
        { ...newRun(), trace_id: randomUUID() },
        /trace_id does not match first part/,
      ],
      [
        'a parent that is not the second last part',
        { ...child, parent_run_id: randomUUID() },
        /parent_run_id does not match/,
      ],
      ['a last part that is not the run', { ...root, id: randomUUID() }, /must end with the id of the run/],
      ['a start in the future', newRun({ at: Date.now() + 3 * 86_400_000 }), /future/],
      ['a time that is none', newRun({ start_time: 'yesterday' }), /start_time 'yesterday' is neither/],
      [
        'a day that the calendar does not have',
        newRun({ end_time: '2026-02-30T00:00:00Z' }),
        /end_time '2026-02-30T00:00:00Z' is neither/,
      ],
      ['an unknown run type', newRun({ run_type: 'dance' }), /run_type/],
      ['name and id of different projects', newRun({ session_id: randomUUID() }), /session_id/],
    ];
    for (const [what, run, message] of cases) {
      it(`refuse ${what} with an explanation`, async () => {
        const response = await sendParts(platform, [{ name: `post.${run.id}`, content: run }]);
        assert.equal(response.status, 422);
        const { detail } = (await response.json()) as Refused;
        assert.match(detail[0]?.msg ?? '', message);
      });
    }
  });

  it('refuses cyclic parents', async () => {
    const root = newRun();
    const [a, b] = [newRun({ parent: root }), newRun({ parent: root })];
    const last = (order: string) => order.split('.').at(-1);
    const aBelowB = { ...a, parent_run_id: b.id, dotted_order: `${b.dotted_order}.${last(a.dotted_order)}` };
    const bBelowA = { ...b, parent_run_id: a.id, dotted_order: `${a.dotted_order}.${last(b.dotted_order)}` };
    const response = await sendParts(platform, [
      ...postParts(root),
      ...postParts(aBelowB),
      ...postParts(bBelowA),
    ]);
    assert.equal(response.status, 422);
    assert.match(((await response.json()) as Refused).detail[0]?.msg ?? '', /does not begin with/);
  });

  it('refuses optional parts without their main part', async () => {
    const id = randomUUID();
    const response = await sendParts(platform, [{ name: `post.${id}.inputs`, content: {} }]);
    assert.equal(response.status, 422);
    assert.match(((await response.json()) as Refused).detail[0]?.msg ?? '', /is missing/);
  });

  it('accepts optional parts alone for an existing run', async () => {
    const run = newRun();
    await sendParts(platform, postParts(run));
    assert.equal(
      (await sendParts(platform, [{ name: `patch.${run.id}.outputs`, content: { late: 1 } }])).status,
      202,
    );
    assert.deepEqual((await readRun(platform, run.id)).outputs, { late: 1 });
  });

  it('returns attachments whose type would not be valid in a header', async () => {
    const run = newRun({ name: 'odd type' });
    const contentType = 'text/\u20ac';
    const attachment = { name: `attachment.${run.id}.odd`, content: Buffer.from('hello'), contentType };
    assert.equal((await sendParts(platform, [...postParts(run), attachment])).status, 202);
    const odd = await platform.fetch(`/runs/${run.id}/attachments/odd`);
    assert.deepEqual([odd.status, odd.headers.get('content-type')], [200, 'application/octet-stream']);
    assert.equal(await odd.text(), 'hello');
  });

  it('stores small and large attachments and returns them', async () => {
    const run = newRun();
    const large = Buffer.alloc(3_000_000, 7);
    const response = await sendParts(platform, [
      ...postParts(run),
      { name: `attachment.${run.id}.note`, content: Buffer.from('hello'), contentType: 'text/plain' },
      { name: `attachment.${run.id}.picture`, content: large, contentType: 'image/png' },
    ]);
    assert.equal(response.status, 202);
    const note = await platform.fetch(`/runs/${run.id}/attachments/note`);
    assert.deepEqual([note.headers.get('content-type'), await note.text()], ['text/plain', 'hello']);
    const picture = await platform.fetch(`/runs/${run.id}/attachments/picture`);
    assert.ok(Buffer.from(await picture.arrayBuffer()).equals(large));
    const { s3_urls } = await readRun(platform, run.id);
    assert.deepEqual(Object.keys(s3_urls as object), ['attachment.note', 'attachment.picture']);
  });

  it('stores payloads of megabytes', async () => {
    const run = newRun();
    const inputs = { text: 'long '.repeat(600_000) };
    assert.equal((await sendParts(platform, postParts(run, { inputs }))).status, 202);
    assert.deepEqual((await readRun(platform, run.id)).inputs, inputs);
  });

  it('accepts feedback in a multipart request', async () => {
    const run = newRun();
    const id = randomUUID();
    const response = await sendParts(platform, [
      ...postParts(run),
      { name: `feedback.${id}`, content: { run_id: run.id, trace_id: run.trace_id, key: 'good', score: 1 } },
    ]);
    assert.equal(response.status, 202);
    const read = await readRun(platform, run.id);
    assert.equal((read.feedback_stats as Record<string, { n: number }>).good?.n, 1);
  });

  it('generates an ID for a single post without one, and returns it', async () => {
    const answer = await platform.fetch('/runs', {
      method: 'POST',
      body: { name: 'nameless', run_type: 'chain', inputs: {} },
    });
    assert.equal(answer.status, 202);
    const { id } = (await answer.json()) as { id: string };
    assert.equal((await readRun(platform, id)).name, 'nameless');
  });

  it('generates trace_id and dotted_order for single posts, and accepts IDs without dashes', async () => {
    const [root, child] = [randomUUID(), randomUUID()];
    const plain = (id: string) => id.replaceAll('-', '');
    const post = (body: object) => platform.fetch('/runs', { method: 'POST', body });
    const start_time = '2026-01-02T03:04:05.678901';
    assert.equal(
      (
        await post({
          id: plain(root),
          name: 'root',
          run_type: 'chain',
          inputs: { q: 1 },
          start_time,
          session_name: 'single',
        })
      ).status,
      202,
    );
    assert.equal(
      (
        await post({
          id: plain(child),
          name: 'child',
          run_type: 'llm',
          inputs: {},
          start_time,
          parent_run_id: plain(root),
          session_name: 'single',
        })
      ).status,
      202,
    );
    const patched = await platform.fetch(`/runs/${plain(root)}`, {
      method: 'PATCH',
      body: { outputs: { a: 2 }, end_time: '2026-01-02T03:04:06.678901' },
    });
    assert.equal(patched.status, 202);
    const [first, second] = [await readRun(platform, root), await readRun(platform, child)];
    assert.equal(first.dotted_order, `20260102T030405678901Z${root}`);
    assert.equal(first.trace_id, root);
    assert.deepEqual([first.outputs, first.status], [{ a: 2 }, 'success']);
    assert.equal(first.start_time, '2026-01-02T03:04:05.678901+00:00');
    assert.equal(second.trace_id, root);
    assert.equal(second.dotted_order, `${first.dotted_order}.20260102T030405678901Z${child}`);
  });

  it('answers 409 to a different run with an existing ID', async () => {
    const id = randomUUID();
    const run = { id, name: 'one', run_type: 'chain', inputs: {}, start_time: '2026-01-02T03:04:05Z' };
    assert.equal((await platform.fetch('/runs', { method: 'POST', body: run })).status, 202);
    assert.equal((await platform.fetch('/runs', { method: 'POST', body: run })).status, 202);
    assert.equal(
      (await platform.fetch('/runs', { method: 'POST', body: { ...run, name: 'two' } })).status,
      409,
    );
  });

  it('uses the project `default` when no project is named', async () => {
    const run = newRun({ session_name: undefined });
    await sendParts(platform, postParts(run));
    assert.equal((await readRun(platform, run.id)).session_id, await sessionId(platform, 'default'));
  });

  it('accepts batches, checking each run separately', async () => {
    const [good, patched] = [newRun(), newRun()];
    const response = await platform.fetch('/api/v1/runs/batch', {
      method: 'POST',
      body: {
        post: [{ ...good, inputs: { a: 1 } }, patched, { name: 'no id' }],
        patch: [
          {
            id: patched.id,
            trace_id: patched.trace_id,
            dotted_order: patched.dotted_order,
            outputs: { b: 2 },
          },
        ],
      },
    });
    assert.equal(response.status, 422);
    assert.deepEqual((await readRun(platform, good.id)).inputs, { a: 1 });
    assert.deepEqual((await readRun(platform, patched.id)).outputs, { b: 2 });
  });

  describe('answers malformed bodies with a clear error:', () => {
    const run = newRun();
    const whole = multipartBody(postParts(run, { inputs: { a: 1 } }));
    const type = `multipart/form-data; boundary=${BOUNDARY}`;
    const cases: [string, Buffer, Record<string, string>, number, RegExp][] = [
      ['ends early', whole.subarray(0, whole.length - 30), {}, 422, /not finished/],
      ['an empty body', Buffer.alloc(0), {}, 422, /not finished/],
      ['no boundary', whole, { 'content-type': 'multipart/form-data' }, 422, /boundary/],
      ['another boundary', whole, { 'content-type': `${type}x` }, 422, /boundary/],
      ['no multipart', Buffer.from('{}'), { 'content-type': 'application/json' }, 415, /multipart/],
      ['broken gzip', whole, { 'content-encoding': 'gzip' }, 422, /Content-Encoding/],
      ['unknown encoding', whole, { 'content-encoding': 'rot13' }, 415, /rot13/],
      [
        'a wrong length',
        multipartBody([{ name: `post.${run.id}`, content: run, length: 5 }]),
        {},
        422,
        /bytes, but declares/,
      ],
      [
        'JSON that is none',
        multipartBody([{ name: `post.${run.id}`, content: Buffer.from('{"a":') }]),
        {},
        422,
        /not valid JSON/,
      ],
      [
        'invalid UTF-8',
        multipartBody([{ name: `post.${run.id}`, content: Buffer.from([0x22, 0xff, 0xfe, 0x22]) }]),
        {},
        422,
        /UTF-8/,
      ],
      [
        'deep JSON',
        multipartBody([
          ...postParts(newRun()),
          { name: `post.${run.id}`, content: Buffer.from('['.repeat(100_000)) },
        ]),
        {},
        422,
        /nested deeper/,
      ],
      ['an unknown part', multipartBody([{ name: 'hello', content: {} }]), {}, 422, /'hello' must be post/],
      ['no run id', multipartBody([{ name: 'post.abc', content: {} }]), {}, 422, /not a UUID/],
      [
        'an unknown payload',
        multipartBody([...postParts(run), { name: `post.${run.id}.thoughts`, content: {} }]),
        {},
        422,
        /must end in one of/,
      ],
      [
        'inputs that are not an object',
        multipartBody(postParts(newRun(), { inputs: [1] })),
        {},
        422,
        /inputs must be an object/,
      ],
    ];
    for (const [what, body, headers, status, message] of cases) {
      it(what, async () => {
        const response = await sendBody(platform, body, headers);
        assert.equal(response.status, status);
        assert.match(await response.text(), message);
      });
    }

    it('a body that decompresses without end', async () => {
      const head = Buffer.from(
        `--${BOUNDARY}\r\nContent-Disposition: form-data; name="post.${run.id}"\r\nContent-Type: application/json\r\n\r\n"`,
      );
      for (const [encoding, compress] of [
        ['gzip', gzipSync],
        ['zstd', zstdCompressSync],
      ] as const) {
        const bomb = compress(Buffer.concat([head, Buffer.alloc(200 * 1024 * 1024, 0x20)]));
        assert.ok(bomb.length < 1_000_000);
        const before = process.memoryUsage().rss;
        const response = await sendBody(platform, bomb, { 'content-encoding': encoding });
        assert.equal(response.status, 413);
        assert.match(await response.text(), /larger than/);
        assert.ok(process.memoryUsage().rss - before < 500 * 1024 * 1024);
      }
    });
  });
});
