// `node bench/team/run.ts`: compares the costs of a team's servers with those of a folder's server, and of one server
// with those of several; see bench/README.md.
import { Client } from '@langchain/langgraph-sdk';
import pg from 'pg';
import { openDurablePostgres } from '../../test/support/postgres.ts';
import { makeTeam, type TeamNode } from '../../test/support/team.ts';
import { Children } from '../harness/children.ts';
import { graphProject } from '../harness/graph-project.ts';
import { oneNode, tenNodes } from '../harness/graphs.ts';
import { HttpClient } from '../harness/http-client.ts';
import { freePort } from '../harness/server.ts';
import { ours } from '../subjects/ours.ts';
import { median, OPEN, percentile, processorMs, runMany } from './measure.ts';

const ROUNDS = Number(process.argv[2] ?? 5);
const WARM_UP_RUNS = 100;
const RUNS = 200;
const CLIENTS = 16;
/** How many clients run the one-node graph at once while its costs are measured. */
const CONCURRENCY = [1, 8, 32];
const NODES = 4;
const MB = 1_048_576;

await using cleanup = new AsyncDisposableStack();
const postgres = cleanup.use(await openDurablePostgres('shared_preload_libraries=pg_stat_statements'));
const project = { folder: await graphProject(), graphs: {}, [Symbol.asyncDispose]: async () => {} };
const database = await postgres.createDatabase();
const team = cleanup.use(await makeTeam(database, project));
const children = new Children({ graceMs: 5_000, report: console.error });
cleanup.defer(() => children.stopAll());
const embedded = await ours.start(project.folder, { port: await freePort(), children });
const sql = new pg.Client(database);
await sql.connect();
cleanup.defer(() => sql.end());
await sql.query('create extension pg_stat_statements');
const storage = async () => {
  const { rows } = await sql.query<{ wal: string; bytes: string; statements: string }>(
    `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as wal, pg_database_size(current_database()) as bytes,
      (select sum(calls) from pg_stat_statements) as statements`,
  );
  const [row] = rows;
  return { wal: Number(row?.wal), bytes: Number(row?.bytes), statements: Number(row?.statements) };
};

const nodes: TeamNode[] = [await team.start(OPEN)];
const [first] = nodes as [TeamNode];
const most = Math.max(...CONCURRENCY);
const ofEmbedded = new HttpClient(embedded.url, most);
const ofTeam = new HttpClient(first.url, most);

console.log(`${ROUNDS} rounds of ${RUNS} runs in turns; medians`);
const costed = [
  ...CONCURRENCY.map((concurrency) => ({ graph: oneNode, concurrency })),
  { graph: tenNodes, concurrency: 1 },
];
for (const { graph, concurrency } of costed) {
  const [alone, inTeam] = [ofEmbedded, ofTeam].map((client) => Array<HttpClient>(concurrency).fill(client));
  if (alone === undefined || inTeam === undefined) throw new Error('There are two servers.');
  for (const clients of [alone, inTeam]) await runMany(clients, graph, WARM_UP_RUNS);
  const costs: Record<'embedded' | 'node' | 'postgres' | 'walBytes' | 'statements', number[]> = {
    embedded: [],
    node: [],
    postgres: [],
    walBytes: [],
    statements: [],
  };
  const sizeBefore = (await storage()).bytes;
  for (let round = 0; round < ROUNDS; round++) {
    const pids = await embedded.pids();
    const embeddedBefore = await processorMs(pids);
    await runMany(alone, graph, RUNS);
    costs.embedded.push(((await processorMs(pids)) - embeddedBefore) / RUNS);
    const before = { node: await processorMs([first.pid]), postgres: await processorMs([postgres.pid]) };
    const stored = await storage();
    await runMany(inTeam, graph, RUNS);
    costs.node.push(((await processorMs([first.pid])) - before.node) / RUNS);
    costs.postgres.push(((await processorMs([postgres.pid])) - before.postgres) / RUNS);
    const now = await storage();
    costs.walBytes.push((now.wal - stored.wal) / RUNS);
    costs.statements.push((now.statements - stored.statements) / RUNS);
  }
  const [own, node, store] = [median(costs.embedded), median(costs.node), median(costs.postgres)];
  const bytes = ((await storage()).bytes - sizeBefore) / (ROUNDS * RUNS);
  console.log(
    `${graph.id}, ${concurrency} at once: embedded ${own.toFixed(2)} ms, server ${node.toFixed(2)} ms (${(node / own).toFixed(2)} times as much) + ` +
      `PostgreSQL ${store.toFixed(2)} ms of processor time a run: ${((node + store) / own).toFixed(2)} times as much; ` +
      `${Math.round(1000 / store)} runs/s a core of PostgreSQL; ${median(costs.statements).toFixed(1)} statements, ` +
      `${(median(costs.walBytes) / 1024).toFixed(1)} KB of WAL and ${(bytes / 1024).toFixed(1)} KB of tables a run`,
  );
}

const latencies: number[] = [];
nodes.push(await team.start(OPEN));
{
  const [one, other] = nodes.map(({ url }) => new Client({ apiUrl: url, apiKey: null }));
  if (one === undefined || other === undefined) throw new Error('Two servers were started.');
  for (let run = 0; run < RUNS / 4; run++) {
    const { thread_id: threadId } = await one.threads.create();
    const { run_id: runId } = await one.runs.create(threadId, tenNodes.id, {
      input: tenNodes.input,
      streamMode: 'updates',
    });
    const seenAt = async (client: Client) => {
      const at = new Map<string, number>();
      for await (const { id } of client.runs.joinStream(threadId, runId, { lastEventId: '-1' }))
        if (id !== undefined) at.set(id, performance.now());
      return at;
    };
    const [here, there] = await Promise.all([seenAt(one), seenAt(other)]);
    for (const [id, at] of there) latencies.push(at - (here.get(id) ?? at));
  }
}
console.log(
  `an event on another server, after its own: p50 ${percentile(latencies, 0.5).toFixed(0)} ms, p99 ${percentile(latencies, 0.99).toFixed(0)} ms of ${latencies.length}`,
);

while (nodes.length < NODES) nodes.push(await team.start(OPEN));
const clientsOf = (servers: readonly TeamNode[]) =>
  Array.from({ length: CLIENTS }, (_, at) => new HttpClient((servers[at % servers.length] ?? first).url, 1));
const [alone, together] = [clientsOf([first]), clientsOf(nodes)];
const rates: Record<'alone' | 'together', number[]> = { alone: [], together: [] };
const work: Record<'alone' | 'together', number[]> = { alone: [], together: [] };
await runMany(together, oneNode, NODES * WARM_UP_RUNS);
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, clients] of [
    ['alone', alone],
    ['together', together],
  ] as const) {
    const pids = [postgres.pid, ...nodes.map(({ pid }) => pid)];
    const before = await processorMs(pids);
    const runs = 2 * RUNS;
    rates[name].push(runs / (await runMany(clients, oneNode, runs)));
    work[name].push(((await processorMs(pids)) - before) / runs);
  }
}
console.log(
  `${CLIENTS} clients: 1 server ${median(rates.alone).toFixed(0)} runs/s (${median(work.alone).toFixed(2)} ms a run), ` +
    `${NODES} servers ${median(rates.together).toFixed(0)} runs/s (${median(work.together).toFixed(2)} ms a run): ` +
    `${(median(rates.together) / median(rates.alone)).toFixed(2)} times as many; ` +
    `${((await storage()).bytes / MB).toFixed(0)} MB of tables in the end`,
);
