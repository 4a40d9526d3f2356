// `node bench/team/traces.ts [rounds] [servers]`: measures what a span costs a team's servers; see bench/README.md.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import pidusage from 'pidusage';
import { openDurablePostgres } from '../../test/support/postgres.ts';
import { processTree } from '../../test/support/process-tree.ts';
import { tracesDatabaseOf } from '../../test/support/traces-database.ts';
import { record, renewed } from '../tracing/recorded.ts';
import { p50 } from '../tracing/report.ts';
import { type Server, startServer } from '../tracing/server.ts';

process.env.LANGSMITH_TRACING = 'true';
const ROUNDS = Number(process.argv[2] ?? 5);
const SERVERS = Number(process.argv[3] ?? 1);
const WARM_UP_ROUNDS = 3;

const recordings = (await record(100)).filter(({ spans }) => spans > 0);
const spans = recordings.reduce((sum, recording) => sum + recording.spans, 0);

/** Sends everything that was recorded, one request after the other, to the servers in turn. */
async function send(servers: readonly Server[]): Promise<void> {
  for (const [at, recording] of recordings.entries()) {
    const answer = await servers[at % servers.length]?.request('POST', '/runs/multipart', renewed(recording));
    if (answer?.status !== 202) throw new Error(`${answer?.status} ${answer?.text}`);
  }
}

async function cpuMicros(servers: readonly Server[], of: 'all' | 'writer' = 'all'): Promise<number> {
  const used = await Promise.all(servers.map((server) => server.cpuMicros()));
  return used.reduce((sum, cpu) => sum + (cpu?.[of] ?? Number.NaN), 0);
}

await using cleanup = new AsyncDisposableStack();
const postgres = cleanup.use(await openDurablePostgres());
const { url } = await tracesDatabaseOf(postgres);
const sql = new pg.Client(url);
await sql.connect();
cleanup.defer(() => sql.end());
const storage = async () => {
  const { rows } = await sql.query<{ wal: string; bytes: string }>(
    "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as wal, pg_database_size(current_database()) as bytes",
  );
  return { wal: Number(rows[0]?.wal), bytes: Number(rows[0]?.bytes) };
};
const postgresMicros = async () => {
  const usage = await pidusage(processTree([postgres.pid]));
  return Object.values(usage).reduce((sum, { ctime }) => sum + 1000 * ctime, 0);
};
const start = async (dataDir: string, database?: string) => {
  const server = await startServer({ dataDir, ...(database === undefined ? {} : { database }) });
  cleanup.defer(() => server.stop());
  return server;
};
const folders: string[] = [];
for (const name of ['embedded', 'team']) {
  const folder = await mkdtemp(path.join(tmpdir(), `bench-${name}-`));
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  folders.push(folder);
}
const [own = '', shared = ''] = folders;
const embedded = [await start(own)];
const team: Server[] = [];
// They share a folder, so that they know the same workspace.
while (team.length < SERVERS) team.push(await start(shared, url));

for (let round = 0; round < WARM_UP_ROUNDS; round++)
  for (const servers of [embedded, team]) await send(servers);
const costs: Record<'embedded' | 'team' | 'writer' | 'postgres' | 'wal', number[]> = {
  embedded: [],
  team: [],
  writer: [],
  postgres: [],
  wal: [],
};
const sizeBefore = (await storage()).bytes;
for (let round = 0; round < ROUNDS; round++) {
  const ownBefore = await cpuMicros(embedded);
  await send(embedded);
  costs.embedded.push((await cpuMicros(embedded)) - ownBefore);
  const [teamBefore, writerBefore, postgresBefore, { wal }] = [
    await cpuMicros(team),
    await cpuMicros(team, 'writer'),
    await postgresMicros(),
    await storage(),
  ];
  await send(team);
  costs.team.push((await cpuMicros(team)) - teamBefore);
  costs.writer.push((await cpuMicros(team, 'writer')) - writerBefore);
  costs.postgres.push((await postgresMicros()) - postgresBefore);
  costs.wal.push((await storage()).wal - wal);
}
const aSpan = (values: readonly number[]) => Math.round(p50(values) / spans);
const bytes = ((await storage()).bytes - sizeBefore) / (ROUNDS * spans);
console.log(
  `${ROUNDS} rounds of ${spans} spans in ${recordings.length} requests, in turns; medians of processor time per span: ` +
    `embedded ${aSpan(costs.embedded)} µs; ${SERVERS} server${SERVERS === 1 ? '' : 's'} of a team ${aSpan(costs.team)} µs, of which ${aSpan(costs.writer)} µs of threads that write, and PostgreSQL ${aSpan(costs.postgres)} µs; ` +
    `${aSpan(costs.wal)} bytes of WAL and ${Math.round(bytes)} bytes of tables a span`,
);
