import assert from 'node:assert/strict';
import { tracesRequestType } from '../../../../src/server/tracing/otlp/protobuf.ts';
import { OtlpSender, traceRequest } from '../../../support/otlp-senders.ts';
import { type Platform, startPlatform } from '../../../support/platform.ts';

/** Reduced to the attributes that each sender documents or was seen to send; written by hand, not recorded. */
describe('the attributes of OTLP instrumentations', () => {
  let platform: Platform;
  let sender: OtlpSender;
  before(async () => {
    platform = await startPlatform();
    sender = new OtlpSender(platform);
  });
  after(() => platform.close());

  it('include the documents of retrievers and rerankers, and the texts that are embedded', async () => {
    const [retriever, reranker, embedding, vercel] = await sender.trace(
      {
        attributes: {
          'openinference.span.kind': 'RETRIEVER',
          'input.value': 'q',
          'retrieval.documents.0.document.content': 'Paris is sunny',
          'retrieval.documents.0.document.score': 0.9,
          'retrieval.documents.0.document.metadata': '{"page":3}',
        },
      },
      {
        attributes: {
          'openinference.span.kind': 'RERANKER',
          'reranker.query': 'q',
          'reranker.input_documents.0.document.content': 'a',
          'reranker.output_documents.0.document.content': 'b',
        },
      },
      {
        attributes: {
          'openinference.span.kind': 'EMBEDDING',
          'embedding.embeddings.1.embedding.text': 'two',
          'embedding.embeddings.0.embedding.text': 'one',
        },
      },
      {
        attributes: {
          'ai.operationId': 'ai.embedMany.doEmbed',
          'ai.values': { arrayValue: { values: [{ stringValue: '"hello"' }] } },
        },
      },
    );
    assert.deepEqual(
      [retriever?.inputs, retriever?.outputs],
      [{ value: 'q' }, { documents: [{ content: 'Paris is sunny', score: 0.9, metadata: { page: 3 } }] }],
    );
    assert.deepEqual(
      [reranker?.run_type, reranker?.inputs, reranker?.outputs],
      ['retriever', { query: 'q', documents: [{ content: 'a' }] }, { documents: [{ content: 'b' }] }],
    );
    assert.deepEqual(embedding?.inputs, { input: ['one', 'two'] });
    assert.deepEqual(vercel?.inputs, { value: ['hello'] });
    assert.doesNotMatch(JSON.stringify(retriever?.extra.metadata), /Paris/);
  });

  it('may have numbers that JSON lacks', async () => {
    const run = await sender.span({
      score: { doubleValue: 'NaN' },
      high: { doubleValue: 'Infinity' },
      low: 0.5,
    });
    assert.deepEqual(
      [run.extra.otel.score, run.extra.otel.high, run.extra.otel.low],
      ['NaN', 'Infinity', 0.5],
    );
    const type = tracesRequestType();
    const request = traceRequest([{ attributes: { score: { doubleValue: Number.NaN } } }]);
    const bytes = (id: string | undefined) => Buffer.from(id ?? '', 'hex');
    const spans = request.resourceSpans[0]?.scopeSpans[0]?.spans.map((each) => ({
      ...each,
      traceId: bytes(each.traceId),
      spanId: bytes(each.spanId),
    }));
    const message = type.fromObject({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
    await sender.send('nan', type.encode(message).finish());
    assert.equal((await sender.runsOf('nan'))[0]?.extra.otel.score, 'NaN');
  });

  it('may be whole numbers that JavaScript cannot represent, which stay text', async () => {
    const run = await sender.span({
      'order.id': { intValue: '9007199254740993' },
      'item.count': { intValue: '42' },
      'item.weight': { intValue: 1.5 },
    });
    const { 'order.id': id, 'item.count': count, 'item.weight': weight } = run.extra.otel;
    assert.deepEqual([id, count, weight], ['9007199254740993', 42, 1.5]);
  });

  it('name conversations the way each sender does', async () => {
    for (const [name, key] of [
      ['session.id', 'session_id'],
      ['langfuse.session.id', 'session_id'],
      ['ai.telemetry.metadata.sessionId', 'session_id'],
      ['gcp.vertex.agent.session_id', 'session_id'],
      ['mastra.metadata.threadId', 'thread_id'],
      ['gen_ai.conversation.id', 'conversation_id'],
    ] as const)
      assert.equal((await sender.span({ [name]: 'S1' })).extra.metadata[key], 'S1', name);
  });

  it('name the project in the resource, as Phoenix’s `register` does', async () => {
    const resource = { 'openinference.project.name': 'phoenix', 'langsmith.internal_provider': true };
    await sender.post(traceRequest([{}], resource));
    const [run] = await sender.runsOf('phoenix');
    assert.ok(run);
    assert.equal(run.extra.metadata['langsmith.internal_provider'], undefined);
  });
});
