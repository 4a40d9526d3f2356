import assert from 'node:assert/strict';
import { isUnknownEndpoint } from '../../../src/client/is-unknown-endpoint.ts';
import type { TaskResult } from '../../../src/contract/agent-server/nodes.ts';
import { resultUpdates } from '../../../src/extension/nodes/result-updates.ts';
import { spanTask } from '../../../src/extension/nodes/span-task.ts';

describe('the result of a node that ran alone', () => {
  const ran = (result: TaskResult, is_command = false) => ({
    status: 'success' as const,
    result,
    is_command,
  });

  it('is kept as an update of its node, and the edges after it are followed again', () => {
    const tasks = [{ id: '1', name: 'draft', result: { text: 'old' } }];
    assert.deepEqual(resultUpdates(ran({ update: { text: 'new' }, goto: ['ask'] }), 'draft', '1', tasks), [
      { as_node: 'draft', values: { text: 'new' } },
    ]);
    assert.deepEqual(resultUpdates(ran({}), 'draft', '1', tasks), [{ as_node: 'draft', values: {} }]);
  });

  it('is kept as a command when the node returned one', () => {
    const goto = ['left', { node: 'right', input: 1 }];
    assert.deepEqual(resultUpdates(ran({ update: { n: 1 }, goto }, true), 'choose', undefined, []), [
      { as_node: 'choose', command: { update: { n: 1 }, goto } },
    ]);
  });

  it('is kept with the writes of the other tasks of its step', () => {
    const tasks = [
      { id: '1', name: 'measure', result: { lengths: [1] } },
      { id: '2', name: 'measure', result: { lengths: [2] } },
      { id: '3', name: 'ask', result: null },
    ];
    assert.deepEqual(resultUpdates(ran({ update: { lengths: [9] } }), 'measure', '2', tasks), [
      { as_node: 'measure', values: { lengths: [9] } },
      { as_node: 'measure', values: { lengths: [1] } },
    ]);
  });

  it('is kept whole when it writes one key twice', () => {
    const update = [
      ['n', 1],
      ['n', 2],
    ];
    assert.deepEqual(resultUpdates(ran({ update }), 'add', undefined, []), [
      { as_node: 'add', command: { update } },
    ]);
  });
});

describe('the task that a span belongs to', () => {
  it('is read from the metadata that LangGraph writes', () => {
    const of = (langgraph_checkpoint_ns: unknown) => spanTask({ langgraph_checkpoint_ns });
    assert.deepEqual(of('draft:1f'), { node: 'draft', namespace: '', taskId: '1f' });
    assert.deepEqual(of('child:a|look:b'), { node: 'look', namespace: 'child:a', taskId: 'b' });
    assert.deepEqual(of('child:a|1|look:b'), { node: 'look', namespace: 'child:a|1', taskId: 'b' });
    assert.deepEqual(of('two:words:b'), { node: 'two:words', namespace: '', taskId: 'b' });
    for (const none of [undefined, '', 'draft', 7, '__start__:1f']) assert.equal(of(none), undefined);
  });
});

describe('a platform that runs no single nodes', () => {
  it('is distinguished from one that does not find the thread', () => {
    const answer = (status: number, message: string) => Object.assign(new Error(message), { status });
    const ids = ['t-1', undefined];
    assert.ok(isUnknownEndpoint(answer(404, 'Not Found (404 from POST /harbor/nodes/input)'), ids));
    assert.ok(isUnknownEndpoint(answer(405, 'Method Not Allowed'), ids));
    assert.ok(!isUnknownEndpoint(answer(404, "Thread 't-1' not found"), ids));
    assert.ok(!isUnknownEndpoint(answer(503, 'The graphs are loading.'), ids));
    assert.ok(!isUnknownEndpoint(new Error('Cannot be reached'), ids));
  });
});
