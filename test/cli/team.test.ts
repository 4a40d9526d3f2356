import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import pg from 'pg';
import { ServerFile } from '../../src/contract/server-file.ts';
import { cli, startCli } from '../support/cli.ts';
import { type Postgres, requirePostgres } from '../support/postgres.ts';
import { graphProject } from '../support/projects.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { unusedPort } from '../support/unused-port.ts';
import { eventually, FinalFailure } from '../support/wait.ts';

const KEY = 'a-key-of-sixteen-and-more';
/** Notes each step in a file, and waits in the second one until another file exists. */
const STEPS = `
import { appendFileSync, existsSync } from 'node:fs';
import { Annotation, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ steps: Annotation({ reducer: (a, b) => [...a, ...b], default: () => [] }) });
const step = (name) => {
  appendFileSync('steps.txt', name + ' ');
  return { steps: [name] };
};
export const graph = new StateGraph(State)
  .addNode('first', () => step('first'))
  .addNode('second', async () => {
    while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 20));
    return { steps: [process.env.AGENT_HARBOR_DATABASE ?? 'second'] };
  })
  .addEdge('__start__', 'first').addEdge('first', 'second').compile();
`;

describe('agent-harbor team', function () {
  this.timeout(120_000);
  let postgres: Postgres;
  before(async function () {
    postgres = await requirePostgres(this);
  });
  after(() => postgres?.[Symbol.asyncDispose]());

  it('keeps everything in PostgreSQL: another server goes on where one was killed', async () => {
    const config = JSON.stringify({ graphs: { steps: './graph.mjs:graph' } });
    await using project = await graphProject({
      line: 'langgraph-1.7',
      files: { 'langgraph.json': config, 'graph.mjs': STEPS },
      empty: true,
    });
    const database = await postgres.createDatabase();
    const start = async (dataDir: string) => {
      const port = await unusedPort();
      const team = startCli(['team', '--port', String(port), '--data-dir', dataDir], {
        cwd: project.folder,
        environment: { AGENT_HARBOR_API_KEY: KEY, DATABASE_URL: database },
      });
      const url = `http://127.0.0.1:${port}`;
      const isServed = async () => {
        if (team.child.exitCode !== null) throw new FinalFailure(team.stderr);
        return (await fetch(`${url}/ok`)).ok;
      };
      await eventually('the agent is served', isServed, Boolean, 30_000);
      return { team, client: new Client({ apiUrl: url, apiKey: KEY, callerOptions: { maxRetries: 0 } }) };
    };
    await using one = await temporaryFolder();
    await using two = await temporaryFolder();

    const first = await start(one.path);
    const { thread_id } = await first.client.threads.create({ metadata: { of: 'the team' } });
    const { run_id } = await first.client.runs.create(thread_id, 'steps', { input: {} });
    const started = path.join(project.folder, 'steps.txt');
    await eventually('the first step is stored', async () => {
      const { values } = await first.client.threads.getState<{ steps: string[] }>(thread_id);
      return values.steps.length === 1;
    });
    const { pid } = await eventually('the server is announced', async () =>
      ServerFile.parse(JSON.parse(await readFile(path.join(one.path, 'server.json'), 'utf8'))),
    );
    process.kill(pid, 'SIGKILL');
    assert.notEqual((await first.team.ended()).code, 0);

    const second = await start(two.path);
    await writeFile(path.join(project.folder, 'go'), '');
    assert.deepEqual(await second.client.runs.join(thread_id, run_id), { steps: ['first', 'second'] });
    assert.equal(await readFile(started, 'utf8'), 'first ');
    const [found] = await second.client.threads.search({ metadata: { of: 'the team' } });
    assert.equal(found?.thread_id, thread_id);

    // Whoever has the database next must not meet this server.
    const client = new pg.Client(database);
    await client.connect();
    await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    await client.end();
    const { code, stderr } = await second.team.ended();
    assert.match(stderr, /^The connection to the database was lost\. Start this server again\.$/m);
    assert.equal(code, 5);
  });

  it('says what is missing', async () => {
    await using project = await graphProject({ line: 'langgraph-1.7' });
    const team = (environment: Readonly<Record<string, string>>) =>
      cli(['team'], { cwd: project.folder, environment: { DATABASE_URL: '', ...environment } });
    assert.match((await team({})).stderr, /Pass --database .* or set DATABASE_URL/);
    assert.match((await team({ DATABASE_URL: 'postgres://localhost/x' })).stderr, /Set AGENT_HARBOR_API_KEY/);
    const unreachable = { AGENT_HARBOR_API_KEY: KEY, DATABASE_URL: 'postgres://127.0.0.1:1/x' };
    assert.match((await team(unreachable)).stderr, /The database cannot be used: .*ECONNREFUSED/);
    assert.match(
      (await team({ ...unreachable, DATABASE_URL: 'mysql://127.0.0.1/x' })).stderr,
      /must be the URL of a PostgreSQL database/,
    );
  });
});
