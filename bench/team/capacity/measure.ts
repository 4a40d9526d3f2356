import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { openDurablePostgres } from '../../../test/support/postgres.ts';
import { processTree } from '../../../test/support/process-tree.ts';
import { makeTeam } from '../../../test/support/team.ts';
import { graphProject } from '../../harness/graph-project.ts';
import type { BenchGraph } from '../../harness/graphs.ts';
import { HttpClient } from '../../harness/http-client.ts';
import { OPEN, runMany } from '../measure.ts';
import type { Costs, RunCosts } from './cluster.ts';

/** A unit of processor time on Linux. */
const TICK_MS = 10;
const UNITS_OF_A_RUN = `select coalesce(sum(calls), 0)::float8 as units from pg_stat_statements where query ~ 'harbor_begin'`;
const COMMITS = 200;
/** Clients while costs are measured, so that commits are grouped and idle times short, as under load. */
const CLIENTS = 8;
/** A server that becomes idle cleans up its memory for some seconds. */
const REST_MS = 12_000;
const IDLE_MS = 8_000;

/** The costs of a graph's runs, on an otherwise idle machine. */
export interface Measured {
  readonly costs: Costs;
  readonly clientMs: number;
  /** For each number of concurrent clients: runs per second, and the processors that nothing else used meanwhile. */
  readonly rates: readonly { readonly clients: number; readonly rate: number; readonly cores: number }[];
}

export interface MeasureOptions {
  readonly runs: number;
  readonly clients: readonly number[];
}

/** Runs a graph on a team of two servers, one of which is only notified. Only Linux reports the time of threads. */
export async function measure(graph: BenchGraph, { runs, clients }: MeasureOptions): Promise<Measured> {
  await using cleanup = new AsyncDisposableStack();
  const postgres = cleanup.use(await openDurablePostgres('shared_preload_libraries=pg_stat_statements'));
  const database = await postgres.createDatabase();
  const project = { folder: await graphProject(), graphs: {}, [Symbol.asyncDispose]: async () => {} };
  const team = cleanup.use(await makeTeam(database, project));
  const sql = new pg.Client(database);
  await sql.connect();
  cleanup.defer(() => sql.end());
  await sql.query('create extension pg_stat_statements');
  const [server, hearer] = [await team.start(OPEN), await team.start(OPEN)];
  const those = Array.from({ length: CLIENTS }, () => new HttpClient(server.url, 1));
  await runMany(those, graph, runs);

  const read = async () => {
    const { rows } = await sql.query<{ wal: number; bytes: number }>(
      "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal, pg_database_size(current_database())::float8 as bytes",
    );
    const { rows: asked } = await sql.query<{ units: number }>(UNITS_OF_A_RUN);
    const graphs = processTree([server.pid]).filter((pid) => pid !== server.pid);
    return {
      wal: rows[0]?.wal ?? 0,
      bytes: rows[0]?.bytes ?? 0,
      units: asked[0]?.units ?? 0,
      main: threadMs(server.pid, server.pid),
      server: processMs([server.pid]),
      graph: processMs(graphs),
      postgres: processMs(processTree([postgres.pid])),
      heard: threadMs(hearer.pid, hearer.pid),
      client: process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000,
    };
  };
  await pause(REST_MS);
  const quietFrom = await read();
  await pause(IDLE_MS);
  const quiet = difference(quietFrom, await read(), IDLE_MS / 1000);
  await runMany(those, graph, runs / 2);
  const before = await read();
  const seconds = await runMany(those, graph, runs);
  const spent = difference(before, await read(), runs);
  // Both also work while they wait.
  const idle = (perSecond: number) => (perSecond * seconds) / runs;
  const run: RunCosts = {
    main: spent.main - idle(quiet.main),
    threads: Math.max(0, spent.server - spent.main - idle(quiet.server - quiet.main)),
    graph: spent.graph - idle(quiet.graph),
    postgres: spent.postgres - idle(quiet.postgres),
    heard: Math.max(0, spent.heard - idle(quiet.heard)),
    units: spent.units,
    commitMs: await commitMs(sql),
    walKb: spent.wal / 1024,
    tableKb: spent.bytes / 1024,
  };
  const rates: { clients: number; rate: number; cores: number }[] = [];
  for (const count of clients) {
    const many = Array.from({ length: count }, () => new HttpClient(server.url, 1));
    await runMany(many, graph, runs / 2);
    const roots = [server.pid, hearer.pid, postgres.pid];
    const from = { all: machineMs(), own: processMs(processTree(roots)) + processMs([process.pid]) };
    const took = await runMany(many, graph, 2 * runs);
    const own = processMs(processTree(roots)) + processMs([process.pid]) - from.own;
    const others = machineMs() - from.all - own;
    rates.push({ clients: count, rate: (2 * runs) / took, cores: cpus().length - others / (1000 * took) });
  }
  const costs = { run, trace: undefined, idle: { main: quiet.main, postgres: quiet.postgres / 2 } };
  return { costs, clientMs: spent.client, rates };
}

type Numbers = Readonly<Record<string, number>>;

function difference<Read extends Numbers>(from: Read, to: Read, parts: number): Read {
  const entries = Object.entries(to).map(([name, value]) => [name, (value - (from[name] ?? 0)) / parts]);
  return Object.fromEntries(entries) as Read;
}

/** How long a commit takes beyond its processor time, because it waits for the disk. */
async function commitMs(sql: pg.Client): Promise<number> {
  await sql.query('create table commits (at int)');
  const began = performance.now();
  for (let at = 0; at < COMMITS; at++) await sql.query('insert into commits values (1)');
  const stored = performance.now() - began;
  await sql.query('begin');
  const again = performance.now();
  for (let at = 0; at < COMMITS; at++) await sql.query('insert into commits values (1)');
  const within = performance.now() - again;
  await sql.query('commit');
  return Math.max(0, stored - within) / COMMITS;
}

/** Threads that have ended are left out. */
function processMs(pids: readonly number[]): number {
  return pids.reduce(
    (sum, pid) => sum + threadsOf(pid).reduce((ofThreads, thread) => ofThreads + threadMs(pid, thread), 0),
    0,
  );
}

function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    // It has ended.
    return [];
  }
}

/** The first number is the time on a processor, in nanoseconds. */
function threadMs(pid: number, thread: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return 0;
  }
}

/** The time that all processors have been busy since the machine started. */
function machineMs(): number {
  const [, user, nice, system, , , irq, softirq] = (readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '')
    .split(/\s+/)
    .map(Number);
  return ((user ?? 0) + (nice ?? 0) + (system ?? 0) + (irq ?? 0) + (softirq ?? 0)) * TICK_MS;
}
