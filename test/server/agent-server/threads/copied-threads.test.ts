import assert from 'node:assert/strict';
import { Client } from '@langchain/langgraph-sdk';
import { type ServedProject, serveProject } from '../../../support/served-project.ts';

describe('a copy of a thread', function () {
  this.timeout(120_000);
  let served: ServedProject;
  before(async () => {
    served = await serveProject();
  });
  after(() => served?.[Symbol.asyncDispose]());

  const client = () => new Client({ apiUrl: served.url, apiKey: null });

  async function historyOf(threadId: string) {
    const states = await client().threads.getHistory(threadId, { limit: 100 });
    return JSON.parse(JSON.stringify(states).replaceAll(threadId, 'thread'));
  }

  /** A thread whose graph waits for an answer, and a copy of it. */
  async function copied() {
    const { threads, runs } = client();
    const { thread_id: source } = await threads.create();
    await runs.wait(source, 'approval', { input: { topic: 'x' } });
    const before = await historyOf(source);
    const { thread_id: copy } = await threads.copy(source);
    assert.deepEqual(await historyOf(copy), before);
    return { source, copy, before };
  }

  it('stays unchanged when its source continues, is pruned and is deleted', async () => {
    const { threads, runs } = client();
    const { source, copy, before } = await copied();
    await runs.wait(source, 'approval', { command: { resume: 'yes' } });
    assert.deepEqual(await historyOf(copy), before);
    await threads.updateState(source, { values: { answers: ['by hand'] }, asNode: 'publish' });
    assert.deepEqual(await historyOf(copy), before);
    await threads.prune([source], { strategy: 'keep_latest' });
    assert.deepEqual(await historyOf(copy), before);
    await threads.delete(source);
    assert.deepEqual(await historyOf(copy), before);
    await runs.wait(copy, 'approval', { command: { resume: 'no' } });
    const { values } = await threads.getState<{ answers: string[] }>(copy);
    assert.deepEqual(values.answers.slice(0, 2), ['draft of x', 'no']);
  });

  it('continues without its source, which stays unchanged', async () => {
    const { threads, runs } = client();
    const { source, copy, before } = await copied();
    await runs.wait(copy, 'approval', { command: { resume: 'yes' } });
    const [newest] = await historyOf(copy);
    const { thread_id: second } = await threads.copy(copy);
    assert.deepEqual(await historyOf(second), await historyOf(copy));
    assert.deepEqual(await historyOf(source), before);
    await threads.prune([copy], { strategy: 'keep_latest' });
    assert.deepEqual((await historyOf(copy)).length, 1);
    assert.deepEqual((await historyOf(copy))[0].values, newest.values);
    await threads.delete(copy);
    assert.deepEqual(await historyOf(source), before);
    assert.deepEqual((await historyOf(second))[0].values, newest.values);
    await runs.wait(source, 'approval', { command: { resume: 'later' } });
    const { values } = await threads.getState<{ answers: string[] }>(source);
    assert.deepEqual(values.answers.slice(0, 2), ['draft of x', 'later']);
  });

  it('continues from any checkpoint of its source, which does not see it', async () => {
    const { threads, runs } = client();
    const { source, copy, before } = await copied();
    const states = await threads.getHistory(copy);
    const start = states.find(({ next }) => next.includes('draft'));
    assert.ok(start?.checkpoint.checkpoint_id);
    await runs.wait(copy, 'approval', { input: null, checkpointId: start.checkpoint.checkpoint_id });
    assert.ok((await historyOf(copy)).length > before.length);
    assert.deepEqual(await historyOf(source), before);
  });

  it('is exported with its whole history, and nothing that its source has added', async () => {
    const { runs } = client();
    const { source, copy, before } = await copied();
    await runs.wait(source, 'approval', { command: { resume: 'secret of the source' } });
    const response = await fetch(`${served.url}/harbor/threads/${copy}/export`);
    const text = await response.text();
    assert.doesNotMatch(text, /secret of the source/);
    const { records } = JSON.parse(text);
    const checkpoints = records.filter(({ kind }: { kind: string }) => kind === 'checkpoint');
    assert.equal(checkpoints.length, before.length);
  });
});
