import assert from 'node:assert/strict';
import { requirePython, servablePythonProject } from '../support/python-projects.ts';
import { configure } from '../support/served-project.ts';
import { campaign } from './campaign.ts';

describe('servers and Python runtimes that are killed, at named points and at random, or asked to stop', function () {
  // A kill takes some seconds; `npm run soak` asks for many.
  this.timeout(Math.max(600_000, Number(process.env.FAULT_KILLS ?? 4) * 30_000));
  let python: string;

  before(async function () {
    python = await requirePython(this, 'langgraph-1.2');
  });

  it('lose nothing that was acknowledged, and show every reader every event once', async () => {
    const seed = Number(process.env.FAULT_SEED ?? Math.floor(Math.random() * 2 ** 31));
    console.log(`      seed ${seed} (FAULT_SEED repeats it)`);
    const { acknowledged } = await campaign(Number(process.env.FAULT_KILLS ?? 4), seed, {
      prepare: async () => {
        const project = await servablePythonProject(python);
        await configure(project.folder, { graphs: { ten_nodes: './basic.py:ten_nodes' } });
        return project;
      },
    });
    console.log(`      acknowledged: ${JSON.stringify(acknowledged)}`);
    assert.ok(acknowledged.runs > 0);
  });
});
