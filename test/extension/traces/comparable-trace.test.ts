import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { comparableTrace, type ListedSpan } from '../../../src/extension/traces/comparable-trace.ts';

/** A run of a graph whose two nodes of the second step ran in the given order. */
function run(parallel: readonly string[], answer: string): ListedSpan[] {
  const root = randomUUID();
  let at = 0;
  const node = (name: string, step: number, outputs: unknown): ListedSpan => ({
    id: randomUUID(),
    parent_run_id: root,
    name,
    run_type: 'chain',
    status: 'success',
    start_time: `2026-01-01T00:00:0${at++}Z`,
    end_time: new Date().toISOString(),
    inputs: { messages: [{ type: 'human', content: 'Hi', id: randomUUID() }] },
    outputs,
    extra: { metadata: { langgraph_step: step, langgraph_node: name } },
  });
  const graph = { id: root, name: 'agent', run_type: 'chain', status: 'success', end_time: 'x', inputs: {} };
  const call = { tool_calls: [{ name: 'f', id: `call_${randomUUID().replaceAll('-', '')}` }] };
  return [
    graph,
    node('plan', 1, call),
    ...parallel.map((name) => node(name, 2, { from: name })),
    node('answer', 3, { answer }),
  ];
}

describe('two traces that are compared', () => {
  it('are equal whatever their IDs and times, and the order of nodes that ran in parallel', () => {
    const [one, other] = [run(['a', 'b'], 'Yes.'), run(['b', 'a'], 'Yes.')].map(comparableTrace);
    assert.deepEqual(one, other);
    assert.deepEqual(
      one?.spans?.map(({ span }) => span),
      ['plan', 'a', 'b', 'answer'],
    );
    assert.deepEqual(one?.spans?.[0]?.outputs, { tool_calls: [{ name: 'f', id: '‹id›' }] });
  });

  it('differ where a node gave another answer', () => {
    const [one, other] = [run(['a'], 'Yes.'), run(['a'], 'No.')].map(comparableTrace);
    assert.deepEqual(one?.spans?.slice(0, 2), other?.spans?.slice(0, 2));
    assert.notDeepEqual(one?.spans?.[2], other?.spans?.[2]);
  });

  it('keep the order in which other spans began, such as the calls of a node, and say which failed', () => {
    const extra = { metadata: { langgraph_step: 1, langgraph_node: 'node' } };
    const root = { id: 'r', name: 'agent', status: 'success' };
    const spans: ListedSpan[] = [
      root,
      { id: '2', parent_run_id: 'r', name: 'a', start_time: '2', extra, status: 'error', error: 'Error: no' },
      { id: '1', parent_run_id: 'r', name: 'b', start_time: '1', extra, status: 'success' },
    ];
    assert.deepEqual(comparableTrace(spans)?.spans, [
      { span: 'b', type: 'chain' },
      { span: 'a', type: 'chain', outcome: 'error', error: 'Error: no' },
    ]);
    assert.equal(comparableTrace([]), undefined);
  });

  it('differ in a span whose parent is missing', () => {
    const spans: ListedSpan[] = [
      { id: '2', parent_run_id: 'lost', name: 'tool', status: 'success' },
      { id: 'r', name: 'agent', status: 'success' },
    ];
    assert.deepEqual(comparableTrace(spans), {
      ...{ span: 'agent', type: 'chain' },
      spans: [{ span: 'tool', type: 'chain' }],
    });
  });
});
