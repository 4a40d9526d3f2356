import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { loseNotifications } from '../support/lost-notifications.ts';
import { type OwnPostgres, requireOwnPostgres } from '../support/postgres.ts';
import { graphProject } from '../support/projects.ts';
import { type TcpProxy, tcpProxy } from '../support/tcp-proxy.ts';
import { makeTeam, type Team, type TeamNode } from '../support/team.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { eventually } from '../support/wait.ts';
import { random } from './random.ts';
import { type LoadSteps, loadFiles, TeamLoad } from './team-load.ts';

const NODES = 3;
const CLIENTS = Number(process.env.TEAM_CLIENTS ?? 6);
/** How often each fault happens, set by `npm run soak`; otherwise some of them happen once. */
const SOAKED = process.env.TEAM_FAULTS;
const FAULTS = Number(SOAKED ?? 1);
/**
 * In soak, fewer and longer steps, and fewer runs before a fault: as many are in progress, and two cores have time for
 * several campaigns.
 */
const STEPS: LoadSteps = SOAKED === undefined ? { steps: 10, stepMs: 20 } : { steps: 5, stepMs: 8_000 };
const RUNS_BEFORE = SOAKED === undefined ? CLIENTS : Math.ceil(CLIENTS / 8);
/**
 * The `dist` of another version, which every second server then runs: when one is told to end, this is an upgrade or a
 * downgrade.
 */
const OTHER_VERSION = process.env.TEAM_OTHER_VERSION;
const SEED = Number(process.env.FAULT_SEED ?? Math.floor(Math.random() * 2 ** 31));
const MINUTE_MS = 60_000;
/**
 * Less than the time for which the events of an ended run are kept, so that no server deletes them too early for
 * another.
 */
const WRONG_BY_MS = 5 * MINUTE_MS;

const SHIFTED_CLOCK = path.join(import.meta.dirname, '../support/shifted-clock.cjs');

/** A server, the network between it and PostgreSQL, and the file that says by how many milliseconds its clock is wrong. */
interface Place {
  readonly node: TeamNode;
  readonly network: TcpProxy;
  readonly clock: string;
}

describe(`three servers of a team under load (seed ${SEED})`, function () {
  this.timeout(120_000 + FAULTS * 60_000);
  const draw = random(SEED);
  // Clients draw from separate numbers, so that the seed repeats what is done to which server.
  const drawOfClients = random(SEED + 1);
  let postgres: OwnPostgres;
  let database: string;
  let clocks: string;
  let team: Team;
  const cleanup = new AsyncDisposableStack();
  const places: Place[] = [];
  /** The outcome of each fault so far. */
  const reports: FaultReport[] = [];

  before(async function () {
    postgres = cleanup.use(await requireOwnPostgres(this));
    database = await postgres.createDatabase();
    clocks = cleanup.use(await temporaryFolder()).path;
    const project = await graphProject({ line: 'langgraph-1.7', files: loadFiles(STEPS), empty: true });
    team = cleanup.use(await makeTeam(database, project));
    // One after the other: starting servers use all of a small machine, and none may be silent for seconds.
    for (let nodes = 0; nodes < NODES; nodes++) await start();
  });
  afterEach(() => {
    const report = reports.at(-1);
    if (report !== undefined) console.log(`      ${summaryOf(report)}`);
  });
  after(() => cleanup.disposeAsync());

  let areDeaf = false;
  let started = 0;

  async function start(): Promise<void> {
    const network = cleanup.use(
      await tcpProxy(postgres.port, { filter: () => loseNotifications(() => areDeaf) }),
    );
    const url = new URL(database);
    url.port = String(network.port);
    const clock = path.join(clocks, String(++started));
    await writeFile(clock, '0');
    const environment = {
      DATABASE_URL: url.href,
      NODE_OPTIONS: `--require=${SHIFTED_CLOCK}`,
      SHIFTED_CLOCK_FILE: clock,
    };
    const node = await team.start(environment, started % 2 === 0 ? OTHER_VERSION : undefined);
    places.push({ node, network, clock });
  }

  let asked: { readonly port: number; readonly pool: pg.Pool } | undefined;
  cleanup.defer(() => asked?.pool.end());

  /** Queries the current PostgreSQL. */
  const query = async <Row extends pg.QueryResultRow>(
    sql: string,
    values: unknown[] = [],
  ): Promise<Row[]> => {
    const { port } = postgres;
    if (asked?.port !== port) {
      void asked?.pool.end();
      const url = new URL(database);
      url.port = String(port);
      asked = { port, pool: new pg.Pool({ connectionString: url.href, max: 1 }) };
      asked.pool.on('error', () => {});
    }
    return (await asked.pool.query<Row>(sql, values)).rows;
  };

  const anyPlace = () => places[draw(places.length)] ?? assert.fail();

  /** The number of a server among those of the database. */
  const numberOf = async ({ network }: Place): Promise<string> => {
    const [row] = await query<{ name: string }>(
      `select application_name as name from pg_stat_activity
       where client_port = any($1) and application_name ~ '^agent-harbor [0-9]+$' limit 1`,
      [network.sources],
    );
    return row?.name.split(' ')[1] ?? assert.fail('it has no connection');
  };

  /**
   * Harms one of the servers, which has no runs at the end. @param harm resolves when the server has ended,
   * or does not have to end. @returns milliseconds until its runs continued elsewhere.
   */
  async function handOver(harm: (place: Place, number: string) => Promise<void>): Promise<number> {
    const place = anyPlace();
    const number = await numberOf(place);
    const unfinished = 'select run_id from runs where lease_owner = $1 and ended_at is null';
    const isBusy = async () => (await query(unfinished, [number])).length > 0;
    await eventually('it has runs', isBusy, Boolean, 30_000);
    const began = performance.now();
    const harmed = harm(place, number);
    places.splice(places.indexOf(place), 1);
    await eventually('others have its runs', async () => !(await isBusy()), Boolean, 60_000);
    const tookMs = performance.now() - began;
    await Promise.all([harmed, replace()]);
    return tookMs;
  }

  /**
   * Starts a server in the place of one that has ended. In soak nobody uses the others meanwhile: a start beside 16 clients
   * takes longer than all else on a small machine.
   */
  async function replace(): Promise<void> {
    await (SOAKED === undefined || load === undefined ? start() : load.restDuring(start));
  }

  const isTakenOver = (number: string) => async () =>
    (await query('select from nodes where number = $1', [number])).length === 0;

  const always: Readonly<Record<string, () => Promise<number | undefined>>> = {
    'is killed': () =>
      handOver(async ({ node }) => {
        process.kill(node.pid, 'SIGKILL');
      }),
    'is told to end': () =>
      handOver(async ({ node }) => {
        process.kill(node.pid, 'SIGTERM');
        assert.equal((await node.cli.ended()).code, 0);
      }),
    'is cut off from PostgreSQL': () =>
      handOver(async ({ node, network }, number) => {
        network.cut();
        await eventually('others take over', isTakenOver(number), Boolean, 60_000);
        network.mend();
        assert.equal((await node.cli.ended()).code, 5);
      }),
    'sees a standby of PostgreSQL take its place': async () => {
      await postgres.addStandby();
      await load?.goOn(RUNS_BEFORE);
      await postgres.failOver();
      for (const { network } of places) network.lead(postgres.port);
    },
  };
  const soaked: typeof always = {
    'is put to sleep': () =>
      handOver(async ({ node }, number) => {
        process.kill(node.pid, 'SIGSTOP');
        await eventually('others take over', isTakenOver(number), Boolean, 60_000);
        process.kill(node.pid, 'SIGCONT');
        assert.equal((await node.cli.ended()).code, 5);
      }),
    'loses all connections to PostgreSQL': async () => {
      anyPlace().network.reset();
    },
    'hears no notification': async () => {
      areDeaf = true;
      await load?.goOn(RUNS_BEFORE);
      areDeaf = false;
    },
    'has a wrong clock': async () => {
      const { clock } = anyPlace();
      await writeFile(clock, String(draw(2) === 0 ? WRONG_BY_MS : -WRONG_BY_MS));
      await load?.goOn(RUNS_BEFORE);
      await writeFile(clock, '0');
    },
    'sees PostgreSQL crash': async () => {
      await postgres.restart();
    },
  };

  let load: TeamLoad | undefined;
  for (const [fault, harm] of Object.entries(SOAKED === undefined ? always : { ...always, ...soaked })) {
    it(`lose nothing that was acknowledged when one ${fault}`, async () => {
      load = new TeamLoad(
        CLIENTS,
        STEPS,
        () => (places[drawOfClients(places.length)] ?? assert.fail()).node.client,
      );
      const report: FaultReport = { fault, times: 0, handOversMs: [], runs: 0 };
      reports.push(report);
      for (; report.times < FAULTS; report.times++) {
        await load.goOn(RUNS_BEFORE);
        const handOverMs = await harm();
        if (typeof handOverMs === 'number') report.handOversMs.push(handOverMs);
      }
      await load.goOn(RUNS_BEFORE);
      await load.end();
      report.runs = load.acknowledged.length;
      for (const { node } of places) assert.equal(node.cli.child.exitCode, null, node.cli.stderr);
      assert.equal(places.length, NODES);
    });
  }
});

/** The outcome of a fault. */
interface FaultReport {
  readonly fault: string;
  times: number;
  /** Milliseconds from the fault until the runs of its server continued elsewhere. */
  readonly handOversMs: number[];
  /** Acknowledged runs, all of which ended as they should; 0 if the test did not get that far. */
  runs: number;
}

function summaryOf({ fault, times, handOversMs, runs }: FaultReport): string {
  const sorted = handOversMs.toSorted((a, b) => a - b).map((ms) => Math.round(ms));
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  const handOvers =
    sorted.length === 0 ? '' : `, hand-over p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${sorted.at(-1)} ms`;
  return `${fault}: ${times} times, ${runs} runs${handOvers}`;
}
