import assert from 'node:assert/strict';
import type { Client } from '../../../src/client/client.ts';
import type { ThreadState } from '../../../src/contract/agent-server/threads.ts';
import { findLastTask } from '../../../src/extension/nodes/node-tasks.ts';

describe('the last task of a node', () => {
  /** A state with tasks by their names; `child` runs a subgraph. */
  const state = (id: string, ...names: string[]): ThreadState => ({
    values: {},
    next: [],
    tasks: names.map((name) => ({
      id: `${id}-${name}`,
      name,
      ...(name === 'child' && { checkpoint: { checkpoint_ns: `child:${id}` } }),
    })),
    checkpoint: { checkpoint_id: id },
  });
  const graphs: Readonly<Record<string, readonly ThreadState[]>> = {
    '': [state('3', 'model'), state('2', 'child'), state('1', 'child')],
    'child:2': [state('b', 'model'), state('a', 'model')],
  };
  const client = {
    threads: {
      history: async ({ body }: Parameters<Client['threads']['history']>[0]) => [
        ...(graphs[body?.checkpoint?.checkpoint_ns ?? ''] ?? []),
      ],
    },
  };
  const find = (path: string) => findLastTask(client, { deployment: 'd', threadId: 't' }, path);

  it('is the newest of the root graph, or of the subgraph that the path leads to', async () => {
    assert.equal((await find('model')).taskId, '3-model');
    const inner = await find('child:model');
    assert.deepEqual([inner.taskId, inner.namespace], ['b-model', 'child:2']);
  });

  it('is not that of another graph when the path leads nowhere', async () => {
    await assert.rejects(find('missing:model'), /has not run/);
    await assert.rejects(find('model:model'), /has not run/);
    await assert.rejects(find('other'), /has not run/);
  });
});
