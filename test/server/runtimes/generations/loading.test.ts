import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { z } from 'zod';
import { Client } from '../../../../src/client/client.ts';
import { localConnection } from '../../../../src/client/connection.ts';
import { createDispatcher } from '../../../../src/client/dispatcher.ts';
import { type ServedProject, serveProject } from '../../../support/served-project.ts';
import { eventually } from '../../../support/wait.ts';

/** Reports its import, and waits for a file on request; its runs return the ID of their process. */
const graph = (text: string, gate = '') => `import { existsSync } from 'node:fs';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
console.log('importing ${text}');
const gate = ${JSON.stringify(gate)};
while (gate !== '' && !existsSync(gate)) await new Promise((resolve) => setTimeout(resolve, 20));
const State = Annotation.Root({ text: Annotation, pid: Annotation });
export const graph = new StateGraph(State).addNode('say', () => ({ text: '${text}', pid: process.pid }))
  .addEdge(START, 'say').addEdge('say', END).compile();
`;

describe('the graphs of a folder', function () {
  this.timeout(60_000);
  let served: ServedProject;
  let client: Client;
  const dispatcher = createDispatcher({});

  before(async () => {
    served = await serveProject({
      empty: true,
      files: {
        'say.mjs': graph('one'),
        'langgraph.json': JSON.stringify({ graphs: { say: './say.mjs:graph' } }),
      },
    });
    const { url, platformUrl: baseUrl, apiKey } = served;
    client = new Client({
      dispatcher,
      connection: localConnection({ baseUrl, apiKey, deploymentUrl: url }),
    });
  });
  after(async () => {
    await dispatcher.destroy();
    await served?.[Symbol.asyncDispose]();
  });

  const file = () => path.join(served.project.folder, 'say.mjs');
  const lines = async (said: RegExp) => (await served.log()).filter((line) => said.test(line)).length;
  const loads = () => lines(/^Graphs run on /);
  const imports = (text: string) => lines(new RegExp(`^importing ${text}`));
  const named = (what: string) => `${what} ${randomUUID()}`;
  const gate = (text: string) => path.join(served.project.folder, `${text}.open`);
  const Said = z.looseObject({ text: z.string(), pid: z.int() });
  const said = async (url = served.url) => {
    const body = JSON.stringify({ assistant_id: 'say', input: { text: '' } });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/runs/wait`, { method: 'POST', headers, body });
    return Said.parse(await response.json());
  };
  /** The load ID of the graphs, once they are served. */
  const loadId = async () => {
    const config_path = path.join(served.project.folder, 'langgraph.json');
    return eventually('the load', async () => {
      const { runtime } = await client.harbor.openFolder({ body: { config_path } });
      return runtime.state === 'ready' ? runtime.load_id : undefined;
    });
  };

  it('are reloaded once when a file is saved twice while they load', async () => {
    const before = await loads();
    const loadBefore = await loadId();
    const [half, whole] = [named('half'), named('whole')];
    await writeFile(file(), graph(half, gate(half)));
    await eventually('the first save loads', async () => (await imports(half)) > 0);
    await writeFile(file(), graph(whole));
    await eventually('the second is served', async () => (await said()).text === whole);
    assert.equal(await loads(), before + 1);
    assert.notEqual(await loadId(), loadBefore);
    assert.equal(await loadId(), await loadId());
  });

  it('are loaded once when the previous process dies during the load', async () => {
    const before = await loads();
    // Windows has no signals.
    const ended = () => lines(/(?:SIGKILL|exited with code 1)\. Restarting it/);
    const endedBefore = await ended();
    const { pid } = await said();
    const next = named('next');
    await writeFile(file(), graph(next, gate(next)));
    await eventually('the save loads', async () => (await imports(next)) > 0);
    process.kill(pid, 'SIGKILL');
    await eventually('its end is noticed', async () => (await ended()) > endedBefore);
    await writeFile(gate(next), '');
    assert.equal((await said()).text, next);
    assert.equal(await loads(), before + 1);
    assert.equal(await imports(next), 1);
  });

  it('are loaded once when their port is in use', async () => {
    const config_path = path.join(served.project.folder, 'langgraph.json');
    const { deployment_id, deployment_url } = await client.harbor.openFolder({ body: { config_path } });
    const { text } = await said(deployment_url);
    await client.harbor.closeFolder({ params: { deployment_id }, body: {} });
    const squatter = createServer().listen(Number(new URL(deployment_url).port), '127.0.0.1');
    try {
      const opened = await client.harbor.openFolder({ body: { config_path } });
      assert.notEqual(opened.deployment_url, deployment_url);
      await eventually('the graphs are loaded', async () => (await loads()) > 0);
      await eventually(
        'the runtime is ready',
        () => client.harbor.getFolder({ params: { deployment_id } }),
        ({ runtime }) => runtime.state === 'ready',
      );
      assert.equal(await imports(text), 1);
    } finally {
      squatter.close();
    }
  });
});
