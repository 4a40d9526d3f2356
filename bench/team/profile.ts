/**
 * `node bench/team/profile.ts`: lists what a run requires of PostgreSQL, statement by statement, and what that costs.
 */
import { Command } from 'commander';
import pg from 'pg';
import pidusage from 'pidusage';
import { openPostgresWith } from '../../test/support/postgres.ts';
import { processTree } from '../../test/support/process-tree.ts';
import { makeTeam } from '../../test/support/team.ts';
import { graphProject } from '../harness/graph-project.ts';
import { oneNode, tenNodes } from '../harness/graphs.ts';
import { HttpClient } from '../harness/http-client.ts';

const command = new Command('node bench/team/profile.ts')
  .description(
    'Prints what a run asks of PostgreSQL: statements, WAL, planning, execution and processor time.',
  )
  .option('--runs <n>', 'runs of each kind, after half as many to warm up', Number, 300)
  .option('--clients <n>', 'clients at once', Number, 1)
  .option('--all', 'also statements that come less often than every tenth run')
  .parse();
const { runs, clients, all } = command.opts<{ runs: number; clients: number; all?: true }>();

interface Statement {
  readonly query: string;
  readonly calls: number;
  readonly rows: number;
  readonly wal: number;
  readonly plan: number;
  readonly exec: number;
}

const STATEMENTS = `select query, calls::float8, rows::float8, wal_bytes::float8 as wal,
    total_plan_time as plan, total_exec_time as exec
  from pg_stat_statements join pg_database on pg_database.oid = dbid
  where datname = current_database() and query !~ 'pg_stat_statements|pg_current_wal' order by total_plan_time + total_exec_time desc`;
/** Statements inside functions count for the functions. */
const SETTINGS = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_planning': 'on',
};

await using cleanup = new AsyncDisposableStack();
const options = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
const postgres = cleanup.use(await openPostgresWith(['-c', 'fsync=on', ...options]));
const database = await postgres.createDatabase();
const project = { folder: await graphProject(), graphs: {}, [Symbol.asyncDispose]: async () => {} };
const team = cleanup.use(await makeTeam(database, project));
const sql = new pg.Client(database);
await sql.connect();
cleanup.defer(() => sql.end());
await sql.query('create extension pg_stat_statements');
const server = await team.start({
  AGENT_HARBOR_API_KEY: '',
  AGENT_HARBOR_ALLOW_ANYONE: 'true',
  AGENT_HARBOR_TRACING: 'off',
});
const client = new HttpClient(server.url, clients);

async function run(graph: typeof oneNode, times: number): Promise<void> {
  let left = times;
  const loop = async () => {
    while (left-- > 0) await client.streamRun(await client.createThread(), graph);
  };
  await Promise.all(Array.from({ length: clients }, loop));
}

async function processorMs(pid: number): Promise<number> {
  const usage = await pidusage(processTree([pid]));
  return Object.values(usage).reduce((sum, { ctime }) => sum + ctime, 0);
}

async function spent() {
  const { rows } = await sql.query<{ wal: string }>(
    "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as wal",
  );
  return {
    postgres: await processorMs(postgres.pid),
    server: await processorMs(server.pid),
    wal: Number(rows[0]?.wal),
  };
}

for (const graph of [oneNode, tenNodes]) {
  await run(graph, Math.ceil(runs / 2));
  await sql.query('select pg_stat_statements_reset()');
  const before = await spent();
  await run(graph, runs);
  const after = await spent();
  const { rows } = await sql.query<Statement>(STATEMENTS);
  const sum = (field: 'calls' | 'plan' | 'exec' | 'wal') =>
    rows.reduce((total, row) => total + row[field], 0) / runs;
  const each = (what: keyof typeof before) => (after[what] - before[what]) / runs;
  console.log(
    `\n${graph.id}, per run of ${runs} by ${clients} at once: ${each('server').toFixed(2)} ms of the server, ` +
      `${each('postgres').toFixed(2)} ms of PostgreSQL; ${sum('calls').toFixed(1)} statements, planned in ` +
      `${sum('plan').toFixed(2)} ms and executed in ${sum('exec').toFixed(2)} ms; ${(each('wal') / 1024).toFixed(1)} KB of WAL`,
  );
  for (const { query, calls, rows: changed, wal, plan, exec } of rows) {
    if (all !== true && calls < runs / 10) continue;
    const us = (ms: number) => ((1000 * ms) / calls).toFixed(0);
    console.log(
      `  ${(calls / runs).toFixed(1).padStart(5)} × ${us(plan).padStart(4)} + ${us(exec).padStart(4)} µs, ` +
        `${(changed / calls).toFixed(1)} rows, ${(wal / calls).toFixed(0).padStart(5)} bytes of WAL: ${query.replace(/\s+/g, ' ').slice(0, 150)}`,
    );
  }
}
await client.close();
