import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { contentTexts } from '../../../src/cli/render/span-content.ts';
import type { NewApiKey } from '../../../src/contract/identity.ts';
import { logsRequestType, logsResponseType } from '../../../src/server/tracing/otlp/protobuf.ts';
import { type Platform, request, startPlatform } from '../../support/platform.ts';
import { sessionId } from '../../support/traces.ts';

interface Run {
  readonly name: string;
  readonly inputs: Record<string, unknown>;
  readonly outputs: Record<string, unknown> | null;
  readonly events: unknown;
  readonly total_tokens: number;
}

const SENDERS = [
  'opentelemetry-google-genai',
  'opentelemetry-openai',
  'opentelemetry-openai-1.30',
  'opentelemetry-openai-js',
];

const hex = (bytes: number) => randomBytes(bytes).toString('hex');
const folder = new URL('../../fixtures/otlp/recorded/', import.meta.url);

describe('log records from OpenTelemetry', () => {
  let platform: Platform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.close());

  /** A recording with its spans, under a new trace ID and with the current time. */
  async function read(name: string): Promise<{ resourceSpans: object[]; resourceLogs: object[] }> {
    const text = await readFile(new URL(`${name}.json`, folder), 'utf8');
    const [, trace = ''] = /"traceId":"(\w+)"/.exec(text) ?? [];
    const start = BigInt(Date.now()) * 1_000_000n;
    const [, first = '0'] = /"startTimeUnixNano":"(\d+)"/.exec(text) ?? [];
    const moved = text
      .replaceAll(trace, hex(16))
      .replace(/"((?:\w+T|t)imeUnixNano)":"(\d+)"/g, (_, key: string, time: string) =>
        time === '0'
          ? `"${key}":"0"`
          : `"${key}":"${BigInt(time) - BigInt(first) + start - 60_000_000_000n}"`,
      );
    return JSON.parse(moved);
  }

  async function send(kind: 'traces' | 'logs', body: object, project: string): Promise<unknown> {
    const headers = { 'langsmith-project': project };
    const response = await platform.fetch(`/otel/v1/${kind}`, { method: 'POST', body, headers });
    assert.equal(response.status, 200);
    return response.json();
  }

  async function runsOf(project: string): Promise<Run[]> {
    const body = { session: [await sessionId(platform, project)], order: 'asc' };
    const found = await platform.fetch('/runs/query', { method: 'POST', body });
    return ((await found.json()) as { runs: Run[] }).runs;
  }

  const told = (runs: readonly Run[]) =>
    runs.map(({ name, inputs, outputs, total_tokens }) => ({ name, inputs, outputs, total_tokens }));

  const now = () => String(BigInt(Date.now()) * 1_000_000n);
  const spanOf = (fields: object) => ({
    resourceSpans: [
      {
        scopeSpans: [
          {
            spans: [
              {
                ...{ name: 'chat', startTimeUnixNano: now(), endTimeUnixNano: now() },
                attributes: [{ key: 'gen_ai.operation.name', value: { stringValue: 'chat' } }],
                ...fields,
              },
            ],
          },
        ],
      },
    ],
  });
  const logsOf = (...logRecords: unknown[]) => ({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
  const said = (ids: object, content: unknown, eventName = 'gen_ai.user.message') => ({
    ...ids,
    timeUnixNano: now(),
    eventName,
    body: { kvlistValue: { values: [{ key: 'content', value: content }] } },
  });
  const text = (stringValue: string) => ({ stringValue });

  for (const name of SENDERS) {
    it(`of ${name} join their spans in whichever order they come, as JSON and as protobuf`, async () => {
      const after = await read(name);
      await send('traces', { resourceSpans: after.resourceSpans }, `${name} after`);
      // Exporters send the records of a span in several requests, and some of them again.
      for (const resource of after.resourceLogs)
        assert.deepEqual(await send('logs', { resourceLogs: [resource] }, `${name} after`), {});
      const [again] = after.resourceLogs;
      assert.deepEqual(await send('logs', { resourceLogs: [again] }, `${name} after`), {});
      const before = await read(name);
      const type = logsRequestType();
      const bytes = JSON.stringify({ resourceLogs: before.resourceLogs }, (key, value: unknown) =>
        /^(?:trace|span)Id$/.test(key) ? Buffer.from(String(value), 'hex').toString('base64') : value,
      );
      for (let time = 0; time < 2; time++) {
        const sent = await platform.fetch('/otel/v1/logs', {
          method: 'POST',
          body: type.encode(type.fromObject(JSON.parse(bytes))).finish(),
          headers: { 'content-type': 'application/x-protobuf' },
        });
        const answer = logsResponseType().decode(new Uint8Array(await sent.arrayBuffer()));
        assert.deepEqual([sent.status, answer.toJSON()], [200, {}]);
      }
      await send('traces', { resourceSpans: before.resourceSpans }, `${name} before`);
      const [first, second] = [await runsOf(`${name} after`), await runsOf(`${name} before`)];
      assert.deepEqual(told(first), told(second));
      const calls = first.filter(({ total_tokens, inputs }) => total_tokens > 0 && 'messages' in inputs);
      assert.equal(calls.length, 2);
      for (const { inputs, outputs } of calls) {
        const lines = [...contentTexts(inputs), ...contentTexts(outputs)].join('\n');
        assert.equal(lines.split('Weather in Paris?').length, 2, 'nothing is told twice');
        assert.doesNotMatch(lines, /gen_ai|event\.name/);
      }
    });
  }

  it('wait with a span for its root', async () => {
    const [traceId, spanId, root] = [hex(16), hex(8), hex(8)];
    const project = hex(4);
    await send('traces', spanOf({ traceId, spanId, parentSpanId: root }), project);
    await send('logs', logsOf(said({ traceId, spanId }, text('first'))), project);
    // An exporter that got no response sends its spans again.
    await send('traces', spanOf({ traceId, spanId, parentSpanId: root }), project);
    await send('logs', logsOf(said({ traceId, spanId }, text('second'))), project);
    await send('traces', spanOf({ traceId, spanId: root, attributes: [] }), project);
    const found = (await runsOf(project)).find(({ inputs }) => 'messages' in inputs);
    assert.deepEqual(found?.inputs, {
      messages: [
        { role: 'user', content: 'first' },
        { role: 'user', content: 'second' },
      ],
    });
  });

  it('affect nothing else, whatever they are', async () => {
    const deep = `${'{"arrayValue":{"values":['.repeat(20_000)}{"stringValue":"deep"}${']}}'.repeat(20_000)}`;
    const nested = `${'['.repeat(2_000)}1${']'.repeat(2_000)}`;
    for (const order of ['before', 'after']) {
      const ids = { traceId: hex(16), spanId: hex(8) };
      const project = `hostile ${order}`;
      const hostile = [
        said(ids, 'DEEP'),
        said(ids, text(nested)),
        said({ ...ids, traceId: 'none' }, text('no trace')),
        said({ ...ids, spanId: '0'.repeat(16) }, text('no span')),
        said(ids, text('not ours'), 'exception'),
        { ...said(ids, text('times')), timeUnixNano: 'soon' },
        { ...ids, body: text('a line that a program logged') },
        { ...ids, eventName: 'gen_ai.choice', attributes: 'all' },
        ...[null, 7, 'text', [], {}, { eventName: 7 }, { attributes: [null, { key: 'event.name' }] }],
      ];
      const span = spanOf({ ...ids, attributes: [{ key: 'input.value', value: text('asked') }] });
      if (order === 'after') assert.deepEqual(await send('traces', span, project), {});
      const body = JSON.stringify(logsOf(...hostile, said(ids, text('good')))).replace('"DEEP"', deep);
      const headers = { 'content-type': 'application/json' };
      const sent = await platform.fetch('/otel/v1/logs', {
        method: 'POST',
        body: Buffer.from(body),
        headers,
      });
      assert.equal(sent.status, 200);
      const { partialSuccess } = (await sent.json()) as { partialSuccess: { errorMessage: string } };
      assert.match(
        partialSuccess.errorMessage,
        /^Log record 1 of the request: .*too deeply.*Log record 6 .*timeUnixNano/,
      );
      if (order === 'before') assert.deepEqual(await send('traces', span, project), {});
      const [run, ...others] = await runsOf(project);
      assert.deepEqual([run?.inputs, others], [{ value: 'asked' }, []]);
    }
  });

  it('are limited to what a span may have', async () => {
    const ids = { traceId: hex(16), spanId: hex(8) };
    const records = Array.from({ length: 1_010 }, (_, n) => said(ids, text(`message ${n}`)));
    const { partialSuccess } = (await send('logs', logsOf(...records), 'many')) as {
      partialSuccess: { rejectedLogRecords: number; errorMessage: string };
    };
    assert.equal(partialSuccess.rejectedLogRecords, 10);
    assert.match(partialSuccess.errorMessage, /at most 1000/);
    await send('traces', spanOf(ids), 'many');
    const [run] = await runsOf('many');
    assert.equal(Array.isArray(run?.events) && run.events.length, 1_000);
    const more = await send('logs', logsOf(said(ids, text('one more'))), 'many');
    assert.match(JSON.stringify(more), /"rejectedLogRecords":1,.*at most 1000/);
  });

  it('count once, even if they are sent twice while they wait', async () => {
    const ids = { traceId: hex(16), spanId: hex(8) };
    const records = Array.from({ length: 600 }, (_, n) => said(ids, text(`message ${n}`)));
    for (let time = 0; time < 2; time++) {
      assert.deepEqual(await send('logs', logsOf(...records), 'twice'), {});
    }
  });

  it('are refused with the field when their request is malformed', async () => {
    const sent = await platform.fetch('/otel/v1/logs', { method: 'POST', body: { resourceLogs: 7 } });
    assert.equal(sent.status, 422);
    assert.match(await sent.text(), /resourceLogs/);
    const other = await platform.fetch('/otel/v1/logs', {
      method: 'POST',
      body: 'x',
      headers: { 'content-type': 'text/plain' },
    });
    assert.equal(other.status, 415);
  });

  it('change no span in a project that their sender may not write to', async () => {
    const made = await platform.fetch('/api-key', {
      method: 'POST',
      body: { rights: ['trace'], projects: ['mine'] },
    });
    const { key } = (await made.json()) as NewApiKey;
    const limited = (body: object) =>
      request(platform.url, { id: '', key }, '/otel/v1/logs', { method: 'POST', body });
    const [stored, early] = [
      { traceId: hex(16), spanId: hex(8) },
      { traceId: hex(16), spanId: hex(8) },
    ];
    await send('traces', spanOf(stored), 'theirs');
    const refused = await limited(logsOf(said(stored, text('FORGED'))));
    assert.match(await refused.text(), /"rejectedLogRecords":1,.*may not write to project 'theirs'/);
    // The project of a span that has not arrived is not known yet.
    assert.deepEqual(await (await limited(logsOf(said(early, text('FORGED'))))).json(), {});
    await send('traces', spanOf(early), 'theirs');
    const theirs = await runsOf('theirs');
    assert.equal(theirs.length, 2);
    assert.doesNotMatch(JSON.stringify(theirs), /FORGED/);
    const own = { traceId: hex(16), spanId: hex(8) };
    await limited(logsOf(said(own, text('OWN'))));
    await send('traces', spanOf(own), 'mine');
    assert.match(JSON.stringify(await runsOf('mine')), /OWN/);
  });
});
