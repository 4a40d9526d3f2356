import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { RuntimeHeadStart } from '../../../../src/server/runtimes/generations/runtime-head-start.ts';
import { nodeCommand } from '../../../../src/server/runtimes/node/node-command.ts';
import { untargetedEnvironment } from '../../../../src/server/runtimes/process/runtime-environment.ts';
import { readProject } from '../../../../src/server/runtimes/project/project.ts';

const TARGET = { LANGSMITH_TRACING: 'true', LANGSMITH_ENDPOINT: 'http://127.0.0.1:1' };

describe('the head start of a runtime', () => {
  let folder: string;
  let configPath: string;
  let script: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'head-start-'));
    configPath = path.join(folder, 'langgraph.json');
    script = path.join(folder, 'runtime.mjs');
    await writeFile(configPath, JSON.stringify({ graphs: { agent: './agent.js:graph' }, env: { A: '1' } }));
    await writeFile(script, 'process.stdout.write(process.env.A); setInterval(() => {}, 1_000);');
  });
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  async function wanted(variables: Record<string, string> = {}) {
    const project = await readProject(configPath, {});
    const env = { ...untargetedEnvironment(project, process.env), ...variables };
    return (await nodeCommand(project, env, script)).command;
  }

  const begin = () => RuntimeHeadStart.begin(JSON.stringify({ config_path: configPath }), script);

  it('is a process in the project’s environment without the tracing variables', async () => {
    const headStart = await begin();
    const begun = headStart.take(await wanted(TARGET));
    assert.ok(begun);
    assert.deepEqual(begun.lateVariables, TARGET);
    const [output] = await once(begun.child.outputs[0]?.stream ?? process.stdin, 'data');
    assert.equal(String(output), '1');
    assert.equal(headStart.take(await wanted(TARGET)), undefined, 'it is given once');
    headStart.end();
    const isAlive = Symbol();
    assert.equal(await Promise.race([begun.child.exited, isAlive]), isAlive, 'what was taken is left alone');
    begun.child.kill();
    await begun.child.exited;
  });

  it('has the variables of the env file, as the project has them', async () => {
    await writeFile(path.join(folder, '.env'), `\uFEFFA=from the file\nB="\${A}, twice"\n`);
    const graphs = {
      python: './agent.py:graph',
      agent: { path: './agent.ts:graph', description: 'An agent.' },
    };
    for (const env of ['.env', 'missing.env', undefined]) {
      await writeFile(configPath, JSON.stringify({ graphs, env }));
      const begun = (await begin()).take(await wanted(TARGET));
      assert.ok(begun, `with the env file ${env}`);
      begun.child.kill();
      await begun.child.exited;
    }
  });

  it('is discarded when the project has changed', async () => {
    const headStart = await begin();
    assert.equal(headStart.take(await wanted({ ...TARGET, A: '2' })), undefined);
    assert.equal(headStart.take(await wanted(TARGET)), undefined, 'it has been ended');
  });

  it('does nothing for an unreadable project, or one without Node graphs', async () => {
    await writeFile(configPath, '{"graphs": {"agent": "./agent.py:graph"}}');
    assert.equal((await begin()).take(await wanted()), undefined);
    const command = await wanted();
    await writeFile(configPath, '{');
    assert.equal((await begin()).take(command), undefined);
  });
});
