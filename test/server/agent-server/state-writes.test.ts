import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import { pythonProject, requirePython } from '../../support/python-projects.ts';
import { type ServedProject, serveProject } from '../../support/served-project.ts';

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

      it('are the same in the state, at each checkpoint and in the history, however it is cut', async () => {
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
    });
  }
});
