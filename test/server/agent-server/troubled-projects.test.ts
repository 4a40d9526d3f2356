import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { graphProject } from '../../support/projects.ts';
import { type ServedProject, serveProject } from '../../support/served-project.ts';
import { eventually } from '../../support/wait.ts';

const Workspace = z.looseObject({
  deployment_id: z.string(),
  deployment_url: z.string(),
  runtime: z.looseObject({
    state: z.string(),
    message: z.string().optional(),
    load_id: z.string().optional(),
    config_problem: z
      .object({ message: z.string(), location: z.looseObject({ file: z.string(), line: z.number() }) })
      .optional(),
  }),
});

describe('a project that cannot be served', function () {
  this.timeout(180_000);
  let served: ServedProject;
  before(async () => {
    served = await serveProject({ config: { graphs: { one_node: './basic.ts:oneNode' } } });
  });
  after(() => served[Symbol.asyncDispose]());

  /** Opens a folder and waits until it is loaded or has failed. */
  async function opened(folder: string): Promise<z.output<typeof Workspace>> {
    const call = async (route: string, body?: object) => {
      const response = await fetch(`${served.platformUrl}${route}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'x-api-key': served.apiKey, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return Workspace.parse(await response.json());
    };
    const { deployment_id } = await call('/harbor/workspaces', {
      config_path: path.join(folder, 'langgraph.json'),
      port: 0,
    });
    return eventually(
      'it has failed',
      () => call(`/harbor/workspaces/${deployment_id}`),
      ({ runtime }) => runtime.state === 'failed',
      60_000,
    );
  }

  it('refuses all requests while it is unknown whether it has auth', async () => {
    await using project = await graphProject({ line: 'langgraph-1.7' });
    await writeFile(path.join(project.folder, 'langgraph.json'), '{ "auth": { "path": "./auth.ts:auth" }, ');
    const { deployment_url } = await opened(project.folder);
    const response = await fetch(`${deployment_url}/threads/search`, { method: 'POST', body: '{}' });
    assert.equal(response.status, 503);
    assert.match(await response.text(), /langgraph\.json could not be read.*Not valid JSON/);
    assert.equal((await fetch(`${deployment_url}/ok`)).status, 200);
  });

  it('fails with the last output of a module that never loads and does nothing for the time that was set', async () => {
    await using project = await graphProject({
      line: 'langgraph-1.7',
      files: {
        'hang.mjs': `console.log('connecting to the database');
          await new Promise(() => setInterval(() => {}, 1e6));`,
      },
    });
    // Long enough for a busy machine to start Node and reach the module.
    const config = { graphs: { hang: './hang.mjs:graph' }, env: { AGENT_HARBOR_LOAD_SECONDS: '15.5' } };
    await writeFile(path.join(project.folder, 'langgraph.json'), JSON.stringify(config));
    const { runtime } = await opened(project.folder);
    assert.match(
      runtime.message ?? '',
      /were not loaded: their process has not done anything for 15\.5 s\. .*connecting to the database/s,
    );
  });

  it('fails when the time that was set is not a number, and names the variable', async () => {
    await using project = await graphProject({ line: 'langgraph-1.7' });
    const config = { graphs: { one: './basic.ts:oneNode' }, env: { AGENT_HARBOR_LOAD_SECONDS: '2 minutes' } };
    await writeFile(path.join(project.folder, 'langgraph.json'), JSON.stringify(config));
    const { runtime } = await opened(project.folder);
    assert.match(runtime.message ?? '', /AGENT_HARBOR_LOAD_SECONDS must be a number .*'2 minutes'/);
  });

  it('serves the previous graphs while langgraph.json is not valid, and says where', async () => {
    const file = path.join(served.project.folder, 'langgraph.json');
    const valid = await readFile(file, 'utf8');
    // A client that opens an already open folder gets its current state.
    const read = async () => {
      const response = await fetch(`${served.platformUrl}/harbor/workspaces`, {
        method: 'POST',
        headers: { 'x-api-key': served.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ config_path: file }),
      });
      return Workspace.parse(await response.json()).runtime;
    };
    const before = await read();
    await writeFile(
      file,
      '{\n  "graphs": {\n    "one_node": "./basic.ts:oneNode",\n    "extra": "./src/"\n  }\n}',
    );
    const now = await eventually('the problem', read, ({ config_problem }) => config_problem !== undefined);
    assert.deepEqual([now.state, now.load_id], ['ready', before.load_id]);
    assert.deepEqual([now.config_problem?.location.file, now.config_problem?.location.line], [file, 4]);
    const run = await fetch(`${served.url}/runs/wait`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': served.apiKey },
      body: JSON.stringify({ assistant_id: 'one_node', input: {} }),
    });
    assert.equal(run.status, 200, await run.text());
    await writeFile(file, valid);
    await eventually(
      'it is valid again',
      read,
      ({ state, load_id }) => state === 'ready' && load_id !== before.load_id,
    );
    assert.equal((await read()).config_problem, undefined);
  });

  it('logs the mistakes in langgraph.json in the words of agent-harbor check', async () => {
    const file = path.join(served.project.folder, 'langgraph.json');
    const config = {
      graphs: {
        one_node: './basic.ts:oneNode',
        typo: './basik.ts:oneNode',
        wrong: './basic.ts:oneNod',
      },
      dependencies: ['./nope'],
      evn: '.env',
    };
    await writeFile(file, JSON.stringify(config, undefined, 1));
    const told = [
      "Graph 'typo' failed to load: /langgraph.json:4:12: File not found: ./basik.ts. Did you mean ./basic.ts?",
      'Reloaded: one_node. Failed: typo, wrong.',
      '/langgraph.json:8:4: Folder not found: ./nope.',
      "/langgraph.json:10:2: Unknown key 'evn'. Did you mean 'env'?",
    ];
    const found = await eventually(
      'the mistakes are logged',
      async () => (await served.log()).map((line) => line.replaceAll(served.project.folder + path.sep, '/')),
      (lines) => told.every((line) => lines.includes(line)),
    );
    assert.match(
      found.find((line) => line.startsWith("Graph 'wrong'")) ?? '',
      /: \/langgraph\.json:5:24: \.\/basic\.ts has no export 'oneNod'\. Did you mean 'oneNode'\? It exports /,
    );
    assert.equal(found.filter((line) => line.includes('evn')).length, 1);
  });
});
