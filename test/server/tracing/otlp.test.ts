import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { tracesRequestType, tracesResponseType } from '../../../src/server/tracing/otlp/protobuf.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { readRun } from '../../support/traces.ts';

interface TestSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  [field: string]: unknown;
}

describe('OpenTelemetry spans', () => {
  let platform: Platform;
  before(async () => {
    platform = await startPlatform({ hidden: ['LANGSMITH_FAVOURITE'] });
  });
  after(() => platform.close());

  const hex = (bytes: number) => randomBytes(bytes).toString('hex');
  const attribute = (key: string, value: string | number) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) },
  });
  function span(fields: Partial<TestSpan> & { name: string; traceId: string }): TestSpan {
    const nanos = BigInt(Date.now()) * 1_000_000n;
    return {
      spanId: hex(8),
      startTimeUnixNano: String(nanos),
      endTimeUnixNano: String(nanos + 1_500_000_000n),
      attributes: [],
      ...fields,
    };
  }
  const request = (spans: TestSpan[]) => ({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
  const sendJson = (spans: TestSpan[], route = '/otel/v1/traces') =>
    platform.fetch(route, { method: 'POST', body: request(spans), headers: { 'langsmith-project': 'otel' } });
  const hexBytes = (text: string) => Buffer.from(text, 'hex');
  const uuid = (h: string) =>
    `${h.slice(0, 8)}-${h.slice(8, 12)}-${h.slice(12, 16)}-${h.slice(16, 20)}-${h.slice(20)}`;

  it('become runs, even if children arrive before their parents', async () => {
    const traceId = hex(16);
    const root = span({
      name: 'workflow',
      traceId,
      attributes: [attribute('input.value', '{"q":"why"}'), attribute('langsmith.metadata.user', 'u1')],
    });
    const step = span({ name: 'step', traceId, parentSpanId: root.spanId });
    const model = span({
      name: 'chat gpt',
      traceId,
      parentSpanId: step.spanId,
      attributes: [
        attribute('gen_ai.operation.name', 'chat'),
        attribute('gen_ai.prompt.0.role', 'user'),
        attribute('gen_ai.prompt.0.content', 'hello'),
        attribute('gen_ai.completion.0.content', 'hi'),
        attribute('gen_ai.usage.input_tokens', 10),
        attribute('gen_ai.usage.output_tokens', 5),
      ],
    });
    assert.equal((await sendJson([model])).status, 200);
    assert.equal((await sendJson([step], '/api/v1/otel/v1/traces')).status, 200);
    assert.equal((await platform.fetch(`/runs/${uuid(traceId)}`)).status, 404);
    assert.equal((await sendJson([root])).status, 200);
    const read = await readRun(platform, uuid(traceId));
    assert.deepEqual(
      [read.name, read.inputs, read.status, read.total_tokens],
      ['workflow', { q: 'why' }, 'success', 15],
    );
    const tree = (await (await platform.fetch(`/traces/${uuid(traceId)}/tree`)).json()) as {
      child_runs: { name: string; child_runs: { id: string; name: string; run_type: string }[] }[];
    };
    const leaf = tree.child_runs[0]?.child_runs[0];
    assert.deepEqual([tree.child_runs[0]?.name, leaf?.name, leaf?.run_type], ['step', 'chat gpt', 'llm']);
    const llm = await readRun(platform, leaf?.id ?? '');
    assert.deepEqual(
      [llm.inputs, llm.outputs],
      [{ messages: [{ role: 'user', content: 'hello' }] }, { messages: [{ content: 'hi' }] }],
    );
    assert.equal((await sendJson([root, step])).status, 200);
  });

  it('are accepted as protobuf too', async () => {
    const traceId = hex(16);
    const failed = span({
      name: 'failing',
      traceId,
      status: { code: 2, message: 'no luck' },
      attributes: [attribute('openinference.span.kind', 'TOOL')],
    });
    const message = request([
      { ...failed, traceId: hexBytes(traceId) as never, spanId: hexBytes(failed.spanId) as never },
    ]);
    const type = tracesRequestType();
    const response = await platform.fetch('/otel/v1/traces', {
      method: 'POST',
      body: type.encode(type.fromObject(message)).finish(),
      headers: { 'content-type': 'application/x-protobuf' },
    });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'application/x-protobuf');
    const read = await readRun(platform, uuid(traceId));
    assert.deepEqual(
      [read.name, read.run_type, read.status, read.error],
      ['failing', 'tool', 'error', 'no luck'],
    );
  });

  it('have the same bytes in attributes, as protobuf and as JSON', async () => {
    const base64 = Buffer.from('some bytes').toString('base64');
    const attributes = [{ key: 'blob', value: { bytesValue: base64 } }] as never;
    const asJson = span({ name: 'json', traceId: hex(16), attributes });
    const asProtobuf = span({ name: 'protobuf', traceId: hex(16), attributes });
    assert.equal((await sendJson([asJson])).status, 200);
    const ids = {
      traceId: hexBytes(asProtobuf.traceId) as never,
      spanId: hexBytes(asProtobuf.spanId) as never,
    };
    const type = tracesRequestType();
    await platform.fetch('/otel/v1/traces', {
      method: 'POST',
      body: type.encode(type.fromObject(request([{ ...asProtobuf, ...ids }]))).finish(),
      headers: { 'content-type': 'application/x-protobuf' },
    });
    for (const { traceId } of [asJson, asProtobuf]) {
      const { extra } = await readRun(platform, uuid(traceId));
      assert.equal(Object(extra).otel.blob, base64);
    }
  });

  it('do not affect others when invalid, and are reported', async () => {
    const traceId = hex(16);
    const good = span({ name: 'good', traceId });
    const spans = [
      span({ name: 'bad id', traceId: 'short' }),
      good,
      { ...span({ name: '', traceId }), name: 7 as never },
      span({ name: 'far away', traceId, startTimeUnixNano: '1e30' }),
    ];
    const { partialSuccess } = (await (await sendJson(spans)).json()) as {
      partialSuccess: { rejectedSpans: number; errorMessage: string };
    };
    assert.equal(partialSuccess.rejectedSpans, 3);
    assert.match(
      partialSuccess.errorMessage,
      /Span 'bad id' needs a traceId.*Span 3 .*name.*Span 4 .*startTimeUnixNano: Must be .* 1700 to 2249/,
    );
    assert.equal((await readRun(platform, uuid(traceId))).name, 'good');
    const type = tracesRequestType();
    const early = span({ name: 'no id', traceId: '', spanId: '' });
    const response = await platform.fetch('/otel/v1/traces', {
      method: 'POST',
      body: type
        .encode(
          type.fromObject(
            request([early, { ...good, traceId: hexBytes(hex(16)), spanId: hexBytes(good.spanId) } as never]),
          ),
        )
        .finish(),
      headers: { 'content-type': 'application/x-protobuf' },
    });
    const decoded = tracesResponseType().decode(new Uint8Array(await response.arrayBuffer()));
    assert.match(JSON.stringify(decoded), /"rejectedSpans":"1".*traceId/);
  });

  it('do not affect others when nested too deeply, and are reported', async () => {
    const traceId = hex(16);
    const deep = `${'{"arrayValue":{"values":['.repeat(5_000)}{"stringValue":"deep"}${']}}'.repeat(5_000)}`;
    const attributes = [{ key: 'deep', value: 'DEEP' as never }];
    const spans = [span({ name: 'deep', traceId, attributes }), span({ name: 'good', traceId })];
    const headers = { 'content-type': 'application/json', 'langsmith-project': 'otel' };
    const send = (body: object) =>
      platform.fetch('/otel/v1/traces', {
        method: 'POST',
        body: Buffer.from(JSON.stringify(body).replace('"DEEP"', deep)),
        headers,
      });
    const sent = await send(request(spans));
    assert.equal(sent.status, 200);
    assert.match(await sent.text(), /"rejectedSpans":1,.*Span 1 of the request: it is nested too deeply/);
    assert.equal((await readRun(platform, uuid(traceId))).name, 'good');
    const ofResource = await send({ resourceSpans: [{ resource: { attributes }, scopeSpans: [] }] });
    assert.equal(ofResource.status, 422);
    assert.match(await ofResource.text(), /it is nested too deeply/);
  });

  it('contain no secret values that tracing SDKs send', async () => {
    const traceId = hex(16);
    await sendJson([
      span({
        name: 'careless',
        traceId,
        attributes: [
          attribute('langsmith.metadata.LANGSMITH_FAVOURITE', 'a "secret" \\ word'),
          attribute('langsmith.metadata.user', 'u1'),
        ],
      }),
    ]);
    const { extra } = await readRun(platform, uuid(traceId));
    const { metadata, otel } = extra as { metadata: Record<string, string>; otel: Record<string, string> };
    assert.deepEqual([metadata.LANGSMITH_FAVOURITE, metadata.user], ['***', 'u1']);
    assert.equal(otel['langsmith.metadata.LANGSMITH_FAVOURITE'], '***');
  });

  it('have usage and the reference example, as with the LangSmith SDKs', async () => {
    const traceId = hex(16);
    const example = uuid(hex(16));
    const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7, total_cost: 0.25 };
    await sendJson([
      span({
        name: 'model',
        traceId,
        attributes: [
          attribute('langsmith.span.kind', 'llm'),
          attribute('langsmith.usage_metadata', JSON.stringify(usage)),
          attribute('langsmith.reference_example_id', example),
        ],
      }),
    ]);
    const read = await readRun(platform, uuid(traceId));
    assert.deepEqual([read.total_tokens, read.total_cost, read.reference_example_id], [7, '0.25', example]);
  });

  it('are refused with a reason when they are not valid', async () => {
    assert.equal((await sendJson([span({ name: 'x', traceId: 'short' })])).status, 422);
    const broken = await platform.fetch('/otel/v1/traces', {
      method: 'POST',
      body: Buffer.from([255, 255, 255]),
      headers: { 'content-type': 'application/x-protobuf' },
    });
    assert.equal(broken.status, 422);
    const other = await platform.fetch('/otel/v1/traces', {
      method: 'POST',
      body: 'x',
      headers: { 'content-type': 'text/plain' },
    });
    assert.equal(other.status, 415);
  });
});
