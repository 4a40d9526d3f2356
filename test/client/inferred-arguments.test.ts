import assert from 'node:assert/strict';
import { inferArguments } from '../../src/client/inferred-arguments.ts';
import type { TraceNode } from '../../src/contract/tracing/runs.ts';

const at = (second: number) => new Date(Date.UTC(2026, 10, 28, 12, 0, second)).toISOString();
const node = (
  id: string,
  run_type: string,
  second: number,
  child_runs: TraceNode[] = [],
  name = id,
): TraceNode => ({
  ...{ id, name, run_type, status: 'success', start_time: at(second), child_runs },
});
const calls = (...asked: readonly (readonly [id: string, name: string, n: number])[]) => ({
  messages: [
    { role: 'assistant', content: '', tool_calls: asked.map(([id, name, n]) => ({ id, name, args: { n } })) },
  ],
});
const extra = (id?: string) => ({ otel: id === undefined ? {} : { 'gen_ai.tool.call.id': id } });

describe('the arguments of a tool whose span lacks them', () => {
  const tools = [
    node('t1', 'tool', 2, [], 'add'),
    node('t2', 'tool', 3, [], 'add'),
    node('t3', 'tool', 6, [], 'add'),
  ];
  const root = node('root', 'chain', 0, [
    node('c1', 'llm', 1),
    ...tools,
    node('c2', 'llm', 5),
    node('c3', 'llm', 9),
  ]);
  const outputs = new Map<string, unknown>([
    ['c1', calls(['a', 'add', 1], ['x', 'other', 9], ['b', 'add', 2])],
    ['c2', calls(['c', 'add', 3])],
    ['c3', calls(['d', 'add', 4])],
  ]);
  const infer = (id: string, callId?: string) =>
    inferArguments(root, { id, inputs: {}, extra: extra(callId) }, (call) => outputs.get(call));

  it('are those of the call with its id', () => {
    assert.deepEqual([infer('t1', 'b'), infer('t2', 'a')], [{ n: 2 }, { n: 1 }]);
  });

  it('are those of the calls of its name, in their order, by the latest message before it', () => {
    assert.deepEqual([infer('t1'), infer('t2'), infer('t3')], [{ n: 1 }, { n: 2 }, { n: 3 }]);
  });

  it('are not known without such a call', () => {
    outputs.delete('c2');
    const other = node('t9', 'tool', 7, [], 'subtract');
    const with9 = { ...root, child_runs: [...root.child_runs, other] };
    assert.equal(
      inferArguments(with9, { id: 't9', inputs: {}, extra: extra() }, (id) => outputs.get(id)),
      undefined,
    );
    assert.equal(infer('t0'), undefined);
  });
});
