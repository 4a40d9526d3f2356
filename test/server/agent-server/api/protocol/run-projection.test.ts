import assert from 'node:assert/strict';
import { RunProjection } from '../../../../../src/server/agent-server/api/protocol/run-projection.ts';

describe('the projection of a run onto the v2 protocol', () => {
  const project = (event: string, data: unknown) =>
    new RunProjection('agent').event({ seq: 1, event, data: JSON.stringify(data), at: 0 });

  it('gives the end of a tool in LangGraph.js the protocol’s name', () => {
    assert.deepEqual(project('tools', { event: 'on_tool_end', toolCallId: 'call_1', output: 'rain' }), [
      {
        method: 'tools',
        namespace: [],
        data: { event: 'tool-finished', tool_call_id: 'call_1', output: 'rain' },
      },
    ]);
  });

  it('passes on an unknown tool event unchanged, and does not report the end of its call', () => {
    const event = { event: 'on_tool_progress', toolCallId: 'call_1', percent: 50 };
    assert.deepEqual(project('tools', event), [{ method: 'tools', namespace: [], data: event }]);
  });

  it('reports an interrupt once, and each of those without an ID', () => {
    const interrupts = [
      { value: 'first' },
      { value: 'second' },
      { id: 'a', value: 'x' },
      { id: 'a', value: 'x' },
    ];
    const asked = project('updates', { __interrupt__: interrupts });
    assert.deepEqual(
      asked.map(({ data }) => data),
      [
        { interrupt_id: '', payload: 'first' },
        { interrupt_id: '', payload: 'second' },
        { interrupt_id: 'a', payload: 'x' },
      ],
    );
  });

  /** The texts of the messages by ID, and the order in which the messages begin and end. */
  function projectMessages(events: readonly (readonly [string, unknown])[]) {
    const projection = new RunProjection('agent');
    const texts: Record<string, string> = {};
    const order: string[] = [];
    for (const [event, body] of events) {
      for (const { method, data } of projection.event({ seq: 1, event, data: JSON.stringify(body), at: 0 })) {
        if (method === 'updates') order.push('update');
        if (method === 'input.requested') order.push('question');
        if (method !== 'messages') continue;
        const { event: kind, message_id: id, delta } = data as Record<string, unknown>;
        if (kind === 'message-start') order.push(`+${String(id)}`);
        if (kind === 'message-finish') order.push(`-${String(id)}`);
        if (kind === 'content-block-delta')
          texts[String(id)] = `${texts[String(id)] ?? ''}${(delta as { text: string }).text}`;
      }
    }
    return { texts, order };
  }

  const chunk = (id: string, text: string, node: string, task = node) =>
    [
      'messages',
      [
        { type: 'AIMessageChunk', id, content: text },
        { langgraph_node: node, langgraph_checkpoint_ns: `${node}:${task}` },
      ],
    ] as const;

  it('keeps all chunks of messages that parallel nodes write, until their node ends', () => {
    const projected = projectMessages([
      chunk('a', 'A1 ', 'one'),
      chunk('b', 'B1 ', 'two'),
      chunk('a', 'A2', 'one'),
      ['updates', { one: { messages: [] } }],
      chunk('b', 'B2', 'two'),
      ['updates', { two: { messages: [] } }],
      chunk('a', 'A1 A2', 'two'),
    ]);
    assert.deepEqual(projected, {
      texts: { a: 'A1 A2', b: 'B1 B2' },
      order: ['+a', '+b', '-a', 'update', '-b', 'update'],
    });
  });

  it('keeps all chunks of messages that parallel tasks of one node write', () => {
    const { texts, order } = projectMessages([
      chunk('a', 'A1 ', 'one', '1'),
      chunk('b', 'B1 ', 'one', '2'),
      ['updates', { one: null }],
      chunk('a', 'A2', 'one', '1'),
      chunk('b', 'B2', 'one', '2'),
      ['values', {}],
    ]);
    assert.deepEqual(texts, { a: 'A1 A2', b: 'B1 B2' });
    assert.deepEqual(order, ['+a', '+b', 'update', '-a', '-b']);
  });

  const question = { __interrupt__: [{ id: 'q', value: 'Sure?' }] };

  it('ends the message of the only node that writes before its question', () => {
    const { order } = projectMessages([chunk('a', 'A', 'one'), ['updates', question], ['values', question]]);
    assert.deepEqual(order, ['+a', '-a', 'question']);
  });

  it('keeps the chunks that a node writes after the question of a parallel one', () => {
    const { texts, order } = projectMessages([
      chunk('a', 'A1 ', 'one'),
      chunk('b', 'B1 ', 'two'),
      ['updates', question],
      ['values', question],
      chunk('a', 'A2', 'one'),
      ['updates', { one: null }],
      ['values', {}],
    ]);
    assert.deepEqual(texts, { a: 'A1 A2', b: 'B1 ' });
    assert.deepEqual(order, ['+a', '+b', 'question', '-a', 'update', '-b']);
  });

  it('ends a message when its node begins another', () => {
    const { order } = projectMessages([chunk('a', 'A', 'one'), chunk('b', 'B', 'one')]);
    assert.deepEqual(order, ['+a', '-a', '+b']);
  });
});
