import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import { pythonProject, requirePython } from '../../../support/python-projects.ts';
import { type ServedProject, serveProject } from '../../../support/served-project.ts';

describe('the writes of a thread’s states', function () {
  this.timeout(60_000);

  for (const language of ['Node', 'Python'] as const) {
    describe(`of a graph in ${language}`, () => {
      let served: ServedProject;
      before(async function () {
        if (language === 'Node') {
          served = await serveProject();
          return;
        }
        const python = await requirePython(this, 'langgraph-1.2');
        const given = await pythonProject({ python });
        await symlink(path.dirname(path.dirname(python)), path.join(given.folder, '.venv'), 'junction');
        served = await serveProject({ given });
      });
      after(() => served?.[Symbol.asyncDispose]());

      it('are the same in the state, at each checkpoint and in the paged history', async () => {
        const { threads, runs } = new Client({ apiUrl: served.url, apiKey: null });
        const { thread_id: thread } = await threads.create();
        await runs.wait(thread, 'approval', { input: { topic: 'x' } });
        await runs.wait(thread, 'approval', { command: { resume: 'yes' } });
        await threads.updateState(thread, { values: { answers: ['by hand'] }, asNode: 'publish' });

        const history = await threads.getHistory(thread);
        const expected = [
          { publish: { answers: ['by hand'] } },
          { publish: { answers: ['published'] } },
          { ask: { answers: ['yes'] } },
          { draft: { answers: ['draft of x'] } },
          {},
          { __start__: { topic: 'x' } },
        ];
        const writes = (states: typeof history) => states.map(({ metadata }) => metadata?.writes);
        assert.deepEqual(writes(history), expected);
        assert.deepEqual((await threads.getState(thread)).metadata, history[0]?.metadata);
        for (const state of history) {
          const { metadata } = await threads.getState(thread, state.checkpoint.checkpoint_id ?? '');
          assert.deepEqual(metadata, state.metadata);
        }
        const before = history[0]?.checkpoint;
        assert.ok(before);
        const options = { limit: 1, before: { configurable: before } };
        assert.deepEqual(writes(await threads.getHistory(thread, options)), [expected[1]]);
        const loops = await threads.getHistory(thread, { metadata: { source: 'loop', step: 1 } });
        assert.deepEqual(writes(loops), [expected[3]]);
      });

      it('are not listed before a checkpoint whose ID is not a text', async () => {
        const { threads } = new Client({ apiUrl: served.url, apiKey: null });
        const { thread_id: thread } = await threads.create();
        const ask = async (before: unknown) => {
          const response = await fetch(`${served.url}/threads/${thread}/history`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ before }),
          });
          return response.status;
        };
        for (const before of [
          5,
          { checkpoint_id: 5 },
          { configurable: 5 },
          { configurable: { checkpoint_id: 5 } },
        ])
          assert.equal(await ask(before), 422, JSON.stringify(before));
        for (const before of [
          null,
          'x',
          {},
          { checkpoint_id: 'x' },
          { configurable: { checkpoint_id: 'x' } },
        ])
          assert.equal(await ask(before), 200, JSON.stringify(before));
      });

      it('are the newest when stored last, even after the clock was set back', async () => {
        const { threads, runs } = new Client({ apiUrl: served.url, apiKey: null });
        const { thread_id: thread } = await threads.create();
        await runs.wait(thread, 'approval', { input: { topic: 'x' } });
        await fromTheFuture(served.url, thread);
        const answers = async () => (await threads.getState<{ answers: string[] }>(thread)).values.answers;

        const waited = await runs.wait(thread, 'approval', { command: { resume: 'yes' } });
        assert.deepEqual(await answers(), ['draft of x', 'yes', 'published']);
        assert.deepEqual(waited, (await threads.getState(thread)).values);
        await threads.updateState(thread, { values: { answers: ['by hand'] }, asNode: 'publish' });
        assert.deepEqual(await answers(), ['draft of x', 'yes', 'published', 'by hand']);
        assert.deepEqual((await threads.get<{ answers: string[] }>(thread)).values.answers, await answers());

        const history = await threads.getHistory(thread);
        const steps = history.map(({ metadata }) => metadata?.step);
        assert.deepEqual(steps, [4, 3, 2, 1, 0, -1]);
        const [, , asked] = history;
        assert.ok(asked);
        const options = { before: { configurable: asked.checkpoint } };
        const earlier = await threads.getHistory(thread, options);
        assert.deepEqual(
          earlier.map(({ metadata }) => metadata?.step),
          [1, 0, -1],
        );
        const { thread_id: copy } = await threads.copy(thread);
        assert.deepEqual(
          (await threads.getHistory(copy)).map(({ metadata }) => metadata?.step),
          steps,
        );
      });
    });
  }
});

/** Gives a thread's checkpoints IDs like those of a clock that is far ahead. */
async function fromTheFuture(url: string, thread: string): Promise<void> {
  const exported = await fetch(`${url}/harbor/threads/${thread}/export`);
  const text = (await exported.text()).replace(/\b1(?=[0-9a-f]{7}-[0-9a-f]{4}-6)/g, 'f');
  const { thread: archived, records } = JSON.parse(text);
  const imported = await fetch(`${url}/harbor/threads/${thread}/import`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ thread: archived, records, last: true, if_exists: 'replace' }),
  });
  assert.deepEqual(await imported.json(), { status: 'imported' });
}
