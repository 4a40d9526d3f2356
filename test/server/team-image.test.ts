import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import { baseImage } from '../support/base-image.ts';
import { projectRoot } from '../support/cache.ts';
import { type TestContainers, testContainers } from '../support/containers.ts';
import { distFolder } from '../support/dist.ts';
import { type Postgres, requirePostgres } from '../support/postgres.ts';
import { installLine } from '../support/projects.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { unusedPort } from '../support/unused-port.ts';
import { eventually } from '../support/wait.ts';

const KEY = 'a-key-of-sixteen-and-more';
/** The second step ends only if the variable GO is set. */
const GRAPH = `
import { Annotation, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ steps: Annotation({ reducer: (a, b) => [...a, ...b], default: () => [] }) });
const second = () =>
  process.env.GO === undefined ? new Promise(() => {}) : { steps: [process.env.AGENT_HARBOR_DATABASE ?? 'second'] };
export const graph = new StateGraph(State)
  .addNode('first', () => ({ steps: ['first'] }))
  .addNode('second', second)
  .addEdge('__start__', 'first').addEdge('first', 'second').compile();
`;

describe('the image of the server of a team', function () {
  this.timeout(600_000);
  const tag = `agent-harbor-test-${randomUUID()}:1`;
  let containers: TestContainers;
  let postgres: Postgres;

  before(async function () {
    containers = await testContainers(this);
    const base = await baseImage(this, containers);
    postgres = await requirePostgres(this);
    this.timeout(600_000);
    const file = path.join(projectRoot, 'Dockerfile');
    const { tool } = containers;
    await tool.ask(
      ['build', '--file', file, '--build-arg', `BASE=${base}`, '--tag', tag, ...tool.runOptions, distFolder],
      { timeoutMs: 500_000 },
    );
  });
  after(async () => {
    await postgres?.[Symbol.asyncDispose]();
    await containers?.tool.ask(['rmi', '--force', tag]);
  });

  it('continues the runs of another container that is killed', async () => {
    await using project = await temporaryFolder();
    await chmod(project.path, 0o755);
    // Where packages are mounted.
    await mkdir(path.join(project.path, 'node_modules'));
    await writeFile(path.join(project.path, 'package.json'), '{"type": "module"}');
    await writeFile(
      path.join(project.path, 'langgraph.json'),
      JSON.stringify({ graphs: { steps: './graph.js:graph' } }),
    );
    await writeFile(path.join(project.path, 'graph.js'), GRAPH);
    const database = await postgres.createDatabase();
    const packages = path.join(await installLine('langgraph-1.7'), 'node_modules');
    const { tool } = containers;
    const start = async (variables: Readonly<Record<string, string>>) => {
      const port = await unusedPort();
      const environment = {
        PORT: String(port),
        AGENT_HARBOR_API_KEY: KEY,
        AGENT_HARBOR_DATABASE: database,
        AGENT_HARBOR_NAME: 'steps',
        ...variables,
      };
      const name = `agent-harbor-test-${randomUUID()}`;
      await tool.ask([
        'run',
        '--detach',
        ...['--name', name, '--pull', 'never'],
        ...['--volume', `${project.path}:/app:ro`, '--volume', `${packages}:/app/node_modules:ro`],
        ...Object.entries(environment).flatMap(([variable, value]) => ['--env', `${variable}=${value}`]),
        ...tool.runOptions,
        tag,
      ]);
      const apiUrl = `http://127.0.0.1:${port}`;
      const remove = async () => {
        await tool.ask(['rm', '--force', '--volumes', name]);
      };
      try {
        await eventually('it answers', async () => (await fetch(`${apiUrl}/ok`)).ok, Boolean, 60_000);
      } catch (error) {
        const log = await tool.ask(['logs', name]);
        await remove();
        throw new Error(`it did not start: ${log}`, { cause: error });
      }
      return { client: new Client({ apiUrl, apiKey: KEY }), name, [Symbol.asyncDispose]: remove };
    };

    const { thread_id } = await (async () => {
      await using first = await start({});
      const thread = await first.client.threads.create();
      await first.client.runs.create(thread.thread_id, 'steps', { input: {} });
      await eventually(
        'its first step is stored',
        () => first.client.threads.getState<{ steps?: string[] }>(thread.thread_id),
        ({ values }) => values.steps?.length === 1,
        30_000,
      );
      assert.equal((await tool.ask(['exec', first.name, 'stat', '-c', '%u', '/proc/1'])).trim(), '1000');
      await tool.ask(['kill', first.name]);
      return thread;
    })();
    await using second = await start({ GO: 'true' });
    const { values } = await eventually(
      'the run has ended',
      () => second.client.threads.getState<{ steps: string[] }>(thread_id),
      ({ next }) => next.length === 0,
      60_000,
    );
    // The URL of the database, which may have a password, is not for graphs.
    assert.deepEqual(values.steps, ['first', 'second']);
  });
});
