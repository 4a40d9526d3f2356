import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { exportRequestType } from '../../../src/server/tracing/otlp/protobuf.ts';
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
    platform = await startPlatform();
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
  const uuid = (h: string) =>
    `${h.slice(0, 8)}-${h.slice(8, 12)}-${h.slice(12, 16)}-${h.slice(16, 20)}-${h.slice(20)}`;

  it('become runs, though children arrive before their parents', async () => {
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

  it('come as protobuf too', async () => {
    const traceId = hex(16);
    const failed = span({
      name: 'failing',
      traceId,
      status: { code: 2, message: 'no luck' },
      attributes: [attribute('openinference.span.kind', 'TOOL')],
    });
    const bytes = (text: string) => Buffer.from(text, 'hex');
    const message = request([
      { ...failed, traceId: bytes(traceId) as never, spanId: bytes(failed.spanId) as never },
    ]);
    const type = exportRequestType();
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

  it('are refused with a reason when they are none', async () => {
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
