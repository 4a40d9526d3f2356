// `node bench/team/replica.ts [rounds]`: compares reading traces from a replica with the database itself; see
// bench/README.md.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import pidusage from 'pidusage';
import type { TeamTraces } from '../../src/server/traces-thread/worker-data.ts';
import { type Platform, startPlatform } from '../../test/support/platform.ts';
import { openDurablePostgres } from '../../test/support/postgres.ts';
import { processTree } from '../../test/support/process-tree.ts';
import { newRun, postParts, sendParts, sessionId } from '../../test/support/traces.ts';
import { tracesDatabaseOf } from '../../test/support/traces-database.ts';
import { ms, p50, p99, printLines } from '../tracing/report.ts';

const ROUNDS = Number(process.argv[2] ?? 5);
const QUESTIONS = 40;
const TRACES = 40;
const SPANS = 50;
/** A trace is stored at this interval while queries are made. */
const WRITE_EACH_MS = 100;

/** Times of one subject, from all rounds, in ms. */
interface Costs {
  readonly each: number[];
  readonly writes: number[];
  /** Processor time per query. */
  readonly primary: number[];
  readonly standby: number[];
}

await using cleanup = new AsyncDisposableStack();
const postgres = cleanup.use(await openDurablePostgres());
const database = await tracesDatabaseOf(postgres);
const port = await postgres.addStandby();
const replica = Object.assign(new URL(database.url), { port: String(port) }).href;
const standbyPid = Number(
  readFileSync(path.join(path.dirname(postgres.folder), 'standby-1', 'postmaster.pid'), 'utf8').split(
    '\n',
  )[0],
);

async function cpuMs(pid: number): Promise<number> {
  const usage = await pidusage(processTree([pid]));
  return Object.values(usage).reduce((sum, { ctime }) => sum + ctime, 0);
}

async function start(traces: TeamTraces): Promise<Platform> {
  const platform = await startPlatform({ traces });
  cleanup.defer(() => platform.close());
  return platform;
}

/** Stores a trace with some spans whose words a query looks for. */
async function store(platform: Platform, spans: number): Promise<void> {
  const root = newRun({ name: 'root' });
  const parts = postParts(root, { inputs: { text: 'in '.repeat(300) } });
  for (let at = 1; at < spans; at++)
    parts.push(
      ...postParts(newRun({ parent: root, name: `span ${at}` }), { inputs: { text: 'some words' } }),
    );
  const answer = await sendParts(platform, parts);
  if (answer.status !== 202) throw new Error(`${answer.status} ${await answer.text()}`);
}

const projects = new Map<Platform, Promise<string>>();
function projectOf(platform: Platform): Promise<string> {
  const known = projects.get(platform) ?? sessionId(platform, 'test');
  projects.set(platform, known);
  return known;
}

async function question(platform: Platform): Promise<void> {
  const body = { session: [await projectOf(platform)], filter: 'search("words")', limit: 100 };
  const answer = await platform.fetch('/runs/query', { method: 'POST', body });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${answer.status} ${text}`);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const since = performance.now();
  await work();
  return performance.now() - since;
}

/** Makes queries while another server stores traces. */
async function round(platform: Platform, costs: Costs): Promise<void> {
  let isOver = false;
  const writing = (async () => {
    while (!isOver) {
      costs.writes.push(await timed(() => store(writer, 5)));
      await sleep(WRITE_EACH_MS);
    }
  })();
  const before = [await cpuMs(postgres.pid), await cpuMs(standbyPid)] as const;
  for (let at = 0; at < QUESTIONS; at++) costs.each.push(await timed(() => question(platform)));
  costs.primary.push(((await cpuMs(postgres.pid)) - before[0]) / QUESTIONS);
  costs.standby.push(((await cpuMs(standbyPid)) - before[1]) / QUESTIONS);
  isOver = true;
  await writing;
}

const [writer, without, withReplica] = [
  await start(database),
  await start(database),
  await start({ ...database, replica }),
];
const subjects = { without, with: withReplica };
for (const platform of Object.values(subjects)) {
  for (let at = 0; at < TRACES; at++) await store(platform, SPANS);
  for (let at = 0; at < 10; at++) await question(platform);
}
const sql = new pg.Client(database.url);
const copy = new pg.Client(replica);
for (const client of [sql, copy]) {
  await client.connect();
  cleanup.defer(() => client.end());
}
await sql.query('vacuum analyze');

const empty = (): Costs => ({ each: [], writes: [], primary: [], standby: [] });
const costs = { without: empty(), with: empty() };
/** The minimum that a replica adds: asking both sides for the position of their logs. */
const floor: number[] = [];
for (let at = 0; at < ROUNDS; at++) {
  await round(subjects.without, costs.without);
  await round(subjects.with, costs.with);
  for (let asked = 0; asked < QUESTIONS; asked++)
    floor.push(
      await timed(async () => {
        await sql.query('select pg_current_wal_flush_lsn()');
        await copy.query('select pg_last_wal_replay_lsn()');
      }),
    );
}

const reads = withReplica.tracing
  .readGauges()
  .find(({ name }) => name === 'harbor_replica_reads_total')
  ?.samples.map(({ labels, value }) => `${labels?.outcome} ${value}`)
  .join(', ');
const ratio = (one: number, other: number) => `${(one / other).toFixed(2)} ×`;
const line = (what: string, pick: (of: Costs) => readonly number[], of = p50) => {
  const [alone, both] = [of(pick(costs.without)), of(pick(costs.with))];
  return { question: what, result: `${ms(both)} beside ${ms(alone)}: ${ratio(both, alone)}` };
};
const added = p50(costs.with.each) - p50(costs.without.each);
printLines([
  line('a question, with a replica beside without (p50)', ({ each }) => each),
  line('the same (p99)', ({ each }) => each, p99),
  line('storing a trace meanwhile (p50)', ({ writes }) => writes),
  line('processor time of the database, a question', ({ primary }) => primary),
  {
    question: 'processor time of the standby, a question',
    result: `${ms(p50(costs.with.standby))} (${ms(p50(costs.without.standby))} when it is not asked)`,
  },
  {
    question: 'added to a question, beside asking both sides for their position (the floor)',
    result: `${ms(added)} beside ${ms(p50(floor))}: ${ratio(added, p50(floor))}`,
  },
]);
console.log(`\n${ROUNDS} rounds of ${QUESTIONS} queries in turns; queries at the replica: ${reads}`);
