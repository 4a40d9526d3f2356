import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type OwnPostgres, requireOwnPostgres } from '../support/postgres.ts';
import { graphProject } from '../support/projects.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';
import { makeTeam, TEAM_KEY, type Team, type TeamNode } from '../support/team.ts';
import { eventually } from '../support/wait.ts';

/** How long the servers of these tests wait for PostgreSQL, instead of half a minute. */
const PATIENCE_SECONDS = 2;
/**
 * Longer than that, and longer than other servers tolerate a silent one. AWAY_SECONDS sets another time, to
 * test the servers' default times.
 */
const AWAY_MS = 1_000 * Number(process.env.AWAY_SECONDS ?? '12');
const PATIENCE: Record<string, string> =
  process.env.AWAY_SECONDS === undefined
    ? { AGENT_HARBOR_DATABASE_PATIENCE_SECONDS: String(PATIENCE_SECONDS) }
    : {};

/** Streams much data, uses the store, and records how often each step runs. */
const GRAPH = `
import { appendFileSync, existsSync } from 'node:fs';
import { Annotation, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ steps: Annotation({ reducer: (a, b) => [...a, ...b], default: () => [] }) });
const note = (name) => appendFileSync('done.txt', name + ' ');
const until = async (file) => {
  while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 20));
};
export const graph = new StateGraph(State)
  .addNode('first', () => (note('first'), { steps: ['first'] }))
  .addNode('second', async (_, { writer, store, configurable }) => {
    await until('go');
    note('second');
    for (let part = 0; part < 400; part++) writer({ part, text: 'x'.repeat(20_000) });
    await store.put(['kept'], configurable.thread_id, { by: 'second' });
    return { steps: ['second'] };
  })
  .addNode('third', async (_, { store, configurable }) => {
    note('third');
    const item = await store.get(['kept'], configurable.thread_id);
    return { steps: [item.value.by + ', third'] };
  })
  .addEdge('__start__', 'first').addEdge('first', 'second').addEdge('second', 'third').compile();
`;
const ALL = { steps: ['first', 'second', 'second, third'] };

describe('servers of a team, when PostgreSQL is unreachable for longer than requests wait,', function () {
  this.timeout(180_000);
  let postgres: OwnPostgres;
  before(async function () {
    postgres = await requireOwnPostgres(this);
  });
  afterEach(() => postgres?.start());
  after(() => postgres?.[Symbol.asyncDispose]());

  async function startTeam(): Promise<{ team: Team; folder: string; database: string }> {
    const project = await graphProject({
      line: 'langgraph-1.7',
      files: {
        'langgraph.json': JSON.stringify({ graphs: { steps: './graph.mjs:graph' } }),
        'graph.mjs': GRAPH,
      },
      empty: true,
    });
    const database = await postgres.createDatabase();
    return { team: await makeTeam(database, project), folder: project.folder, database };
  }

  async function queried<Row extends object>(
    database: string,
    query: string,
    values: unknown[],
  ): Promise<Row[]> {
    const client = new pg.Client(database);
    await client.connect();
    const { rows } = await client.query<Row>(query, values);
    await client.end();
    return rows;
  }

  /** Reads a run as it goes on. */
  function follow({ client }: TeamNode, threadId: string, runId: string) {
    const ids: number[] = [];
    const parts: number[] = [];
    const ended = (async () => {
      const stream = client.runs.joinStream(threadId, runId, { lastEventId: '-1' });
      for await (const { id, event, data } of stream) {
        ids.push(Number(id));
        if (event === 'custom') parts.push(data.part);
      }
    })();
    return { ids, parts, ended };
  }

  it('store everything that runs produced, and keep streams open', async () => {
    const { team, folder, database } = await startTeam();
    await using _team = team;
    const [one, other] = await Promise.all([team.start(PATIENCE), team.start(PATIENCE)]);
    const { thread_id: threadId } = await one.client.threads.create();
    const { run_id: runId } = await one.client.runs.create(threadId, 'steps', {
      input: {},
      streamMode: ['updates', 'custom'],
    });
    const next = await other.client.runs.create(threadId, 'steps', { input: {} });
    await eventually('the first step is stored', async () => {
      const { values } = await one.client.threads.getState<{ steps: string[] }>(threadId);
      return values.steps.length === 1;
    });
    const readers = [one, other].map((node) => follow(node, threadId, runId));
    await eventually('both read', () => readers.every(({ ids }) => ids.length > 0));
    const nodes = () => queried<{ number: string }>(database, 'select number from nodes order by number', []);
    const before = await nodes();

    await postgres.stop();
    await writeFile(path.join(folder, 'go'), '');
    const done = () => readFile(path.join(folder, 'done.txt'), 'utf8');
    await eventually('the second step is done', async () => (await done()).includes('second'));
    const awaySince = performance.now();
    for (const { url } of [one, other]) {
      const headers = { 'x-api-key': TEAM_KEY, 'content-type': 'application/json' };
      const answer = await fetch(`${url}/threads`, { method: 'POST', body: '{}', headers });
      assert.equal(answer.status, 503);
      assert.match(await answer.text(), /The database cannot be reached\. Try again\./);
      assert.equal((await fetch(`${url}/ok`)).status, 200);
    }
    await sleep(Math.max(0, AWAY_MS - (performance.now() - awaySince)));
    await postgres.start();

    await Promise.all(readers.map(({ ended }) => ended));
    assert.deepEqual(await one.client.runs.join(threadId, runId), ALL);
    const values = await other.client.runs.join(threadId, next.run_id);
    assert.deepEqual(values, { steps: [...ALL.steps, ...ALL.steps] });
    for (const { ids, parts } of readers) {
      assert.deepEqual(
        ids,
        ids.map((_, at) => at + 1),
        'each event was read once, in order',
      );
      assert.deepEqual(
        parts,
        parts.map((_, at) => at),
      );
      assert.equal(parts.length, 400);
    }
    const rows = await queried<{ first: number; last: number }>(
      database,
      'select first_seq::int as first, last_seq::int as last from run_events where run_id = $1 order by first_seq',
      [runId],
    );
    for (const [at, { first }] of rows.entries()) assert.equal(first, (rows[at - 1]?.last ?? 0) + 1);
    const runs = await queried(database, 'select status, attempt::int from runs where thread_id = $1', [
      threadId,
    ]);
    assert.deepEqual(runs, [
      { status: 'success', attempt: 1 },
      { status: 'success', attempt: 1 },
    ]);
    assert.equal((await done()).trim(), 'first second third first second third');
    assert.deepEqual(await nodes(), before);
    for (const { cli } of [one, other]) assert.equal(cli.child.exitCode, null);
  });

  it('continue the runs of a server that was killed meanwhile, from their stored state', async () => {
    const { team, folder, database } = await startTeam();
    await using _team = team;
    const [one, other] = await Promise.all([team.start(PATIENCE), team.start(PATIENCE)]);
    const { threadId, runId } = await team.begin(one);
    const reader = follow(other, threadId, runId);
    await eventually('it is read', () => reader.ids.length > 0);
    await postgres.stop();
    await writeFile(path.join(folder, 'go'), '');
    await eventually('the second step is done', async () =>
      (await readFile(path.join(folder, 'done.txt'), 'utf8')).includes('second'),
    );
    process.kill(one.pid, 'SIGKILL');
    await sleep(AWAY_MS / 2);
    await postgres.start();
    await reader.ended;
    assert.deepEqual(await other.client.runs.join(threadId, runId), ALL);
    assert.deepEqual(
      reader.ids,
      reader.ids.map((_, at) => at + 1),
    );
    const [run] = await queried(database, 'select status, attempt::int from runs where run_id = $1', [runId]);
    assert.deepEqual(run, { status: 'success', attempt: 2 });
    const first = (await readFile(path.join(folder, 'done.txt'), 'utf8'))
      .split(' ')
      .filter((name) => name === 'first');
    assert.equal(first.length, 1);
  });

  it('stop when told to meanwhile, and their runs continue on the next server', async () => {
    const { team, folder, database } = await startTeam();
    await using _team = team;
    const one = await team.start({ ...PATIENCE, AGENT_HARBOR_DRAIN_SECONDS: '2' });
    const { threadId, runId } = await team.begin(one);
    await postgres.stop();
    await writeFile(path.join(folder, 'go'), '');
    await eventually('the second step is done', async () =>
      (await readFile(path.join(folder, 'done.txt'), 'utf8')).includes('second'),
    );
    process.kill(one.pid, 'SIGTERM');
    const { code, stderr } = await one.cli.ended();
    assert.equal(code, 0, stderr);
    await postgres.start();
    const left = await queried(database, 'select status, ended_at from runs where run_id = $1', [runId]);
    assert.deepEqual(left, [{ status: 'running', ended_at: null }]);
    const next = await team.start(PATIENCE);
    assert.deepEqual(await next.client.runs.join(threadId, runId), ALL);
    const [run] = await queried(database, 'select status from runs where run_id = $1', [runId]);
    assert.deepEqual(run, { status: 'success' });
  });

  it('answer requests and stop when told to, even if no packet tells them that PostgreSQL is gone', async () => {
    const { team, folder, database } = await startTeam();
    await using _team = team;
    await using proxy = await tcpProxy(postgres.port);
    const through = database.replace(String(postgres.port), String(proxy.port));
    const one = await team.start({ ...PATIENCE, DATABASE_URL: through, AGENT_HARBOR_DRAIN_SECONDS: '2' });
    const { threadId, runId } = await team.begin(one);
    proxy.cut();
    await writeFile(path.join(folder, 'go'), '');
    await eventually('the second step is done', async () =>
      (await readFile(path.join(folder, 'done.txt'), 'utf8')).includes('second'),
    );
    const answer = await fetch(`${one.url}/threads/${threadId}`, { headers: { 'x-api-key': TEAM_KEY } });
    assert.equal(answer.status, 503);
    process.kill(one.pid, 'SIGTERM');
    await one.cli.ended();
    proxy.reset();
    const next = await team.start(PATIENCE);
    assert.deepEqual(await next.client.runs.join(threadId, runId), ALL);
  });
});
