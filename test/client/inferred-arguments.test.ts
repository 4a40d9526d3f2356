import assert from 'node:assert/strict';
import { inferArguments, type SpanAround } from '../../src/client/inferred-arguments.ts';

const at = (second: number) => new Date(Date.UTC(2026, 10, 28, 12, 0, second)).toISOString();
const span = (id: string, run_type: string, second: number, name = id): SpanAround => ({
  ...{ id, name, run_type, start_time: at(second) },
});
const calls = (...asked: readonly (readonly [id: string, name: string, n: number])[]) => ({
  messages: [
    { role: 'assistant', content: '', tool_calls: asked.map(([id, name, n]) => ({ id, name, args: { n } })) },
  ],
});
const extra = (id?: string) => ({ otel: id === undefined ? {} : { 'gen_ai.tool.call.id': id } });

describe('the arguments of a tool whose span lacks them', () => {
  const spans = [
    span('c1', 'llm', 1),
    span('t1', 'tool', 2, 'add'),
    span('t2', 'tool', 3, 'add'),
    span('c2', 'llm', 5),
    span('t3', 'tool', 6, 'add'),
    span('c3', 'llm', 9),
  ];
  const outputs = new Map<string, unknown>([
    ['c1', calls(['a', 'add', 1], ['x', 'other', 9], ['b', 'add', 2])],
    ['c2', calls(['c', 'add', 3])],
    ['c3', calls(['d', 'add', 4])],
  ]);
  const infer = (id: string, callId?: string) =>
    inferArguments(spans, { id, inputs: {}, extra: extra(callId) }, (call) => outputs.get(call));

  it('are those of the call with its id', () => {
    assert.deepEqual([infer('t1', 'b'), infer('t2', 'a')], [{ n: 2 }, { n: 1 }]);
  });

  it('are those of the calls with its name, in order, in the latest message before it', () => {
    assert.deepEqual([infer('t1'), infer('t2'), infer('t3')], [{ n: 1 }, { n: 2 }, { n: 3 }]);
  });

  it('are not known without such a call', () => {
    outputs.delete('c2');
    const more = [...spans, span('t9', 'tool', 7, 'subtract')];
    assert.equal(
      inferArguments(more, { id: 't9', inputs: {}, extra: extra() }, (id) => outputs.get(id)),
      undefined,
    );
    assert.equal(infer('t0'), undefined);
  });
});
