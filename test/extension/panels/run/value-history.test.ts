import assert from 'node:assert/strict';
import type { ThreadState } from '../../../../src/contract/agent-server/threads.ts';
import { keysOf, valueHistory } from '../../../../src/extension/panels/run/value-history.ts';

describe('the state over time', () => {
  const line = [
    state('a', undefined, {}, ['__start__'], 'input', { __start__: { topic: 'tea' } }),
    state('b', 'a', { topic: 'tea' }, ['draft'], 'loop', {}),
    state('c', 'b', { topic: 'tea', answers: ['one'] }, ['count', 'ask'], 'loop', {
      draft: { answers: ['one'] },
    }),
    state('d', 'c', { topic: 'milk', answers: ['one', 'two', 'three'] }, [], 'loop', {
      count: [{ answers: ['two'] }, { answers: ['three'] }],
      ask: { topic: 'milk' },
    }),
  ].toReversed();
  const reducers = { answers: 'concat' };

  it('names the node that wrote a value, what it wrote, and the reducer, newest first', () => {
    const { steps } = valueHistory(line, undefined, 'answers', reducers);
    assert.deepEqual(
      steps.map(({ checkpoint_id, nodes, how, reducer, written, value, before }) => ({
        ...{ checkpoint_id, nodes, how, reducer, written, value, before },
      })),
      [
        {
          checkpoint_id: 'd',
          nodes: ['count'],
          how: 'reduced',
          reducer: 'concat',
          written: [['two'], ['three']],
          value: ['one', 'two', 'three'],
          before: ['one'],
        },
        {
          checkpoint_id: 'c',
          nodes: ['draft'],
          how: 'reduced',
          reducer: 'concat',
          written: undefined,
          value: ['one'],
          before: undefined,
        },
      ],
    );
  });

  it('marks a key without a reducer as replaced, with the input as its first writer', () => {
    const { steps } = valueHistory(line, undefined, 'topic', reducers);
    assert.deepEqual(
      steps.map(({ nodes, how, value }) => [nodes, how, value]),
      [
        [['ask'], 'replaced', 'milk'],
        [[], 'replaced', 'tea'],
      ],
    );
  });

  it('infers a reducer from the written values when the platform does not report it', () => {
    const [answers] = valueHistory(line, undefined, 'answers', undefined).steps;
    assert.deepEqual([answers?.how, answers?.reducer], ['reduced', '']);
    const topics = valueHistory(line, undefined, 'topic', undefined).steps.map(({ how }) => how);
    assert.deepEqual(topics, ['replaced', 'unknown']);
  });

  it('follows only the shown branch', () => {
    const branch = state('e', 'b', { topic: 'cocoa' }, [], 'update', { draft: { topic: 'cocoa' } });
    const { steps } = valueHistory([branch, ...line], 'e', 'topic', reducers);
    assert.deepEqual(
      steps.map(({ checkpoint_id, source, value }) => [checkpoint_id, source, value]),
      [
        ['e', 'update', 'cocoa'],
        ['b', 'loop', 'tea'],
      ],
    );
  });

  it('has the keys of all states, except of states that are not objects', () => {
    assert.deepEqual(keysOf(line), ['topic', 'answers']);
    assert.deepEqual(keysOf([state('x', undefined, ['a list'], [], 'loop', {})]), []);
  });
});

function state(
  checkpoint_id: string,
  parent: string | undefined,
  values: unknown,
  next: string[],
  source: string,
  writes: object,
): ThreadState {
  return {
    values,
    next,
    tasks: next.map((name) => ({ id: `${checkpoint_id} ${name}`, name })),
    metadata: { source, step: checkpoint_id.charCodeAt(0) - 98, writes },
    checkpoint: { thread_id: 't', checkpoint_ns: '', checkpoint_id },
    parent_checkpoint:
      parent === undefined ? null : { thread_id: 't', checkpoint_ns: '', checkpoint_id: parent },
  };
}
