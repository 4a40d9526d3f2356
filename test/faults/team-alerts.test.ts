import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { waitForRevision } from '../../src/client/wait-for-revision.ts';
import { portOf } from '../../src/server/http/port-of.ts';
import { LINK_PACKAGES, linkedProject } from '../support/control-plane/example-files.ts';
import { gitRepository } from '../support/control-plane/git-repository.ts';
import { type OwnPostgres, requireOwnPostgres } from '../support/postgres.ts';
import { type Prometheus, requirePrometheus, startPrometheus } from '../support/prometheus.ts';
import { type TcpProxy, tcpProxy } from '../support/tcp-proxy.ts';
import { type PlatformNode, type PlatformTeam, platformTeam } from '../support/team-platform.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { BOUNDARY, multipartBody, newRun, postParts } from '../support/traces.ts';
import { eventually } from '../support/wait.ts';

/** A node that takes as long as its input says, and fails if its input says so. */
const GRAPH = `
import { Annotation, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ ms: Annotation, fails: Annotation });
async function work({ ms, fails }) {
  await new Promise((resolve) => setTimeout(resolve, ms));
  if (fails) throw new Error('It was told to fail.');
  return {};
}
export const graph = new StateGraph(State).addNode('work', work).addEdge('__start__', 'work').compile();
`;
const LONG_MS = 600_000;
const SLOTS = 2;
const TWO_DAYS_S = 172_800;

describe('the alert rules', function () {
  this.timeout(900_000);
  const cleanup = new AsyncDisposableStack();
  let postgres: OwnPostgres;
  let database: string;
  let standby: pg.Client;
  let network: TcpProxy;
  let objects: string;
  let team: PlatformTeam;
  let nodes: readonly [PlatformNode, PlatformNode];
  let prometheus: Prometheus;
  let repositoryUrl: string;
  let deploymentId: string;

  before(async function () {
    const programs = await requirePrometheus(this);
    this.timeout(900_000);
    postgres = cleanup.use(await requireOwnPostgres(this, ['-c', 'max_connections=200']));
    const port = await postgres.addStandby();
    network = cleanup.use(await tcpProxy(port));
    database = await postgres.createDatabase();
    const at = (to: number) => Object.assign(new URL(database), { port: String(to) }).href;
    objects = path.join(cleanup.use(await temporaryFolder()).path, 'objects');
    await mkdir(objects);
    team = platformTeam({
      database,
      objects,
      environment: {
        AGENT_HARBOR_JOBS_PER_RUNTIME: String(SLOTS),
        AGENT_HARBOR_DATABASE_PATIENCE_SECONDS: '10',
        AGENT_HARBOR_DATABASE_REPLICA: at(network.port),
      },
    });
    const one = cleanup.use(await team.start());
    nodes = [one, cleanup.use(await team.start())];
    standby = new pg.Client(at(port));
    await standby.connect();
    standby.on('error', () => {});
    cleanup.defer(() => standby.end());
    const repository = cleanup.use(await gitRepository());
    await repository.push({ ...(await linkedProject('hello')), 'src/slow.mjs': GRAPH });
    repositoryUrl = repository.url;
    const created = await deploy('works', LINK_PACKAGES);
    deploymentId = created.id;
    const params = { deployment_id: created.id, revision_id: created.latest_revision_id ?? '' };
    await waitForRevision(one.client.revisions, params);
    const targets = nodes.map(({ url }) => new URL(url).host);
    prometheus = cleanup.use(await startPrometheus(programs, { targets, key: team.key }));
    await eventually('nothing fires', prometheus.firing, (alerts) => alerts.size === 0, 60_000);
  });
  after(() => cleanup.disposeAsync());

  const deploy = (name: string, installCommand: string) =>
    nodes[0].client.deployments.create({
      body: {
        name,
        source: 'github',
        source_config: { repo_url: repositoryUrl, install_command: installCommand },
        source_revision_config: { repo_ref: 'main' },
      },
    });
  const fire = (...names: string[]) =>
    Promise.all(
      names.map((name) =>
        eventually(`${name} fires`, prometheus.firing, (alerts) => alerts.has(name), 120_000),
      ),
    );
  const clear = (...names: string[]) =>
    Promise.all(
      names.map((name) =>
        eventually(`${name} is over`, prometheus.firing, (alerts) => !alerts.has(name), 180_000),
      ),
    );
  const ask = (route: string, init: RequestInit = {}, [{ url }] = nodes) =>
    fetch(`${url}${route}`, { ...init, headers: { 'x-api-key': team.key, ...init.headers } });
  const post = (route: string, body: object) =>
    ask(route, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  const limitStorage = async (max_storage_bytes: number | null) => {
    const answer = await ask('/harbor/limits', {
      method: 'PATCH',
      body: JSON.stringify({ max_storage_bytes }),
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(answer.status, 200, await answer.text());
  };
  const trace = (payloads: Readonly<Record<string, unknown>> = {}, run = newRun()) =>
    ask('/runs/multipart', {
      method: 'POST',
      body: multipartBody(postParts(run, payloads)),
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    });
  const session = async () => {
    const client = new pg.Client(database);
    client.on('error', () => {});
    await client.connect();
    return client;
  };

  it('report runs that fail, revisions that fail, webhooks that are not delivered, and storage that is not measured', async () => {
    const agent = nodes[0].agent(deploymentId);
    const writer = await session();
    let isWell = false;
    const receiver = createServer((request, response) => {
      request.resume();
      response.writeHead(isWell ? 200 : 500).end();
    }).listen(0, '127.0.0.1');
    try {
      await once(receiver, 'listening');
      const webhook = `http://127.0.0.1:${portOf(receiver)}/told`;
      await agent.runs.createBatch(
        Array.from({ length: 101 }, () => ({ assistantId: 'slow', input: { ms: 0 }, webhook })),
      );
      for (let at = 0; at < 5; at++) await deploy(`fails-${at}`, 'node -e "process.exit(1)"');
      await using _fails = repeated(() => agent.runs.wait(null, 'slow', { input: { ms: 0, fails: true } }));
      await writer.query('alter table replays rename to replays_away');
      await limitStorage(10 ** 12);
      const names = [
        'HarborRunsFail',
        'HarborRevisionsFail',
        'HarborWebhooksWait',
        'HarborStorageUnmeasured',
      ];
      await fire(...names);
      assert.match(await nodes[0].process.log(), /the storage of a workspace cannot be measured/);
      isWell = true;
      await writer.query('alter table replays_away rename to replays');
      await _fails[Symbol.asyncDispose]();
      await limitStorage(null);
      await clear(...names);
    } finally {
      await writer.end();
      receiver.close();
    }
  });

  it('report runs that wait, with free slots and without any', async () => {
    const agent = nodes[0].agent(deploymentId);
    const begun: { thread: string; run: string }[] = [];
    const begin = async (thread: string) => {
      const { run_id: run } = await agent.runs.create(thread, 'slow', { input: { ms: LONG_MS } });
      begun.push({ thread, run });
    };
    const newThread = async () => (await agent.threads.create()).thread_id;
    const one = await newThread();
    await begin(one);
    await begin(one);
    await fire('HarborRunsWaitBesideFreeSlots');
    for (let at = 0; at < nodes.length * SLOTS; at++) await begin(await newThread());
    await fire('HarborNoFreeSlots');
    await clear('HarborRunsWaitBesideFreeSlots');
    for (const { thread, run } of begun.toReversed()) await agent.runs.cancel(thread, run, true);
    await clear('HarborNoFreeSlots');
  });

  it('report a slow PostgreSQL, old snapshots, dead rows, and purges that are not verified', async () => {
    const [reader, writer] = [await session(), await session()];
    try {
      const run = newRun();
      assert.equal((await trace({}, run)).status, 202);
      await reader.query('begin isolation level repeatable read');
      await reader.query('select 1');
      const [project] = (await (await ask('/sessions?name=test')).json()) as { id: string }[];
      const purge = await post('/runs/delete', { session_id: project?.id, trace_ids: [run.trace_id] });
      assert.equal(purge.status, 202, await purge.text());
      // The purge is stuck while the snapshot is open; only its age is simulated.
      await writer.query(
        'update harbor_traces.purge_jobs set created_at = created_at - $1::bigint * 1000000',
        [TWO_DAYS_S],
      );
      await writer.query('create table harbor_traces.emptied (n int) with (autovacuum_enabled = off)');
      await writer.query('insert into harbor_traces.emptied select generate_series(1, 1100000)');
      await writer.query('delete from harbor_traces.emptied');

      await using locks = repeated(async () => {
        await writer.query('begin; lock table threads in access exclusive mode');
        await writer.query('select pg_sleep(4)');
        await writer.query('commit');
        await sleep(300);
      });
      const { thread_id } = await nodes[0].agent(deploymentId).threads.create();
      const threadPath = `/d/${deploymentId}/threads/${thread_id}`;
      const requests = Array.from({ length: 30 }, (_, at) =>
        repeated(() => (at % 3 === 0 ? post(`/d/${deploymentId}/threads`, {}) : ask(threadPath))),
      );
      await fire(
        ...['HarborRequestsSlow', 'HarborDatabaseSlow', 'HarborConnectionsShort'],
        ...['HarborOldSnapshot', 'HarborDeadRows', 'HarborPurgeStuck'],
      );
      await Promise.all([locks, ...requests].map((one) => one[Symbol.asyncDispose]()));
      await reader.query('commit');
      await writer.query('drop table harbor_traces.emptied');
    } finally {
      await Promise.all([reader.end(), writer.end()]);
    }
    await clear(
      ...['HarborRequestsSlow', 'HarborDatabaseSlow', 'HarborConnectionsShort'],
      ...['HarborOldSnapshot', 'HarborDeadRows', 'HarborPurgeStuck'],
    );
  });

  it('report a missing object store, and traces that cannot be stored', async () => {
    const [client, away] = [await session(), `${objects}-away`];
    try {
      await rename(objects, away);
      await writeFile(objects, 'in the way');
      await using large = repeated(() => trace({ inputs: { text: 'x'.repeat(2 * 1024 * 1024) } }));
      await fire('HarborObjectStoreFails');
      await rm(objects);
      await rename(away, objects);
      await large[Symbol.asyncDispose]();

      await client.query(`create function public.refuse() returns trigger language plpgsql
        as 'begin raise exception $$no space$$ using errcode = $$53100$$; end'`);
      await client.query(`create trigger refuse before insert on harbor_traces.runs
        for each row execute function public.refuse()`);
      await using small = repeated(() => trace());
      await fire('HarborIngestionFails');
      await client.query('drop trigger refuse on harbor_traces.runs');
      await clear('HarborObjectStoreFails', 'HarborIngestionFails');
      await small[Symbol.asyncDispose]();
    } finally {
      await client.end();
    }
  });

  it('report a replica that lags, and one that is unreachable', async () => {
    await standby.query('select pg_wal_replay_pause()');
    await using _reads = repeated(() => ask('/sessions'));
    await fire('HarborReplicaBehind');
    await standby.query('select pg_wal_replay_resume()');
    await clear('HarborReplicaBehind');
    network.cut();
    await fire('HarborReplicaAway');
    const ready = await (await ask('/ready')).json();
    assert.deepEqual(ready, { ready: true, replica: 'away' });
    assert.match(await nodes[0].process.log(), /the replica cannot be reached/);
    network.reset();
    network.mend();
    await clear('HarborReplicaAway');
  });

  it('report a lost server', async () => {
    await nodes[1].process.kill();
    await fire('HarborServerDown', 'HarborServersLost');
    await nodes[1].process.start();
    await clear('HarborServerDown', 'HarborServersLost');
  });

  it('report an unreachable PostgreSQL, and requests that fail', async () => {
    await postgres.stop();
    {
      await using _requests = repeated(() => ask('/v2/deployments'), 4);
      await fire('HarborDatabaseAway', 'HarborRequestsFail');
      await postgres.start();
      await clear('HarborDatabaseAway', 'HarborRequestsFail');
    }
  });
});

/**
 * Repeats an action, even if it fails, until it is disposed of.
 * @param times how many at once
 */
function repeated(work: () => Promise<unknown>, times = 1): AsyncDisposable {
  let isOver = false;
  const repeat = async () => {
    while (!isOver) {
      const done = await work().catch(() => {});
      if (done instanceof Response) await done.text().catch(() => {});
      await sleep(50);
    }
  };
  const all = Array.from({ length: times }, repeat);
  return {
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      await Promise.all(all);
    },
  };
}
