import assert from 'node:assert/strict';
import { Client } from '@langchain/langgraph-sdk';
import { type ServedProject, serveProject } from '../../support/served-project.ts';

describe('states of threads as the public SDK reads them', function () {
  this.timeout(60_000);
  let served: ServedProject;
  const client = () => new Client({ apiUrl: served.url, apiKey: null });
  before(async () => {
    served = await serveProject();
  });
  after(() => served[Symbol.asyncDispose]());

  it('have the errors of tasks in the form that it parses', async () => {
    const { thread_id } = await client().threads.create();
    await assert.rejects(client().runs.wait(thread_id, 'throws', { input: {} }));
    const { tasks } = await client().threads.getState(thread_id);
    const told: unknown = JSON.parse(tasks.find(({ error }) => error != null)?.error ?? '');
    assert.ok(typeof told === 'object' && told !== null && 'message' in told && 'name' in told);
  });

  it('contain only known checkpoint fields of an interrupted subgraph', async () => {
    const { thread_id } = await client().threads.create();
    await client().runs.wait(thread_id, 'nested', { input: {} });
    const { tasks } = await client().threads.getState(thread_id);
    const checkpoint = tasks.find((task) => task.checkpoint != null)?.checkpoint;
    assert.deepEqual(Object.keys(checkpoint ?? {}).toSorted(), ['checkpoint_ns', 'thread_id']);
  });

  it('are limited to the checkpoint of a history request', async () => {
    const { thread_id } = await client().threads.create();
    await client().runs.wait(thread_id, 'one_node', { input: { value: 1 } });
    const all = await client().threads.getHistory(thread_id);
    const second = all[1]?.checkpoint;
    assert.ok(all.length > 2 && second !== undefined);
    const named = await client().threads.getHistory(thread_id, { checkpoint: second });
    assert.deepEqual(
      named.map(({ checkpoint }) => checkpoint.checkpoint_id),
      [second.checkpoint_id],
    );
  });
});
