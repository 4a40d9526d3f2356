import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type OwnPostgres, requireOwnPostgres } from '../support/postgres.ts';
import { isAlive } from '../support/process-tree.ts';
import { makeTeam, type Team, type TeamNode } from '../support/team.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { eventually } from '../support/wait.ts';

const BOTH = { steps: ['first', 'second'] };
/** How long a server is silent: longer than other servers tolerate. */
const HELD_MS = 10_000;
const HOLDING = path.join(import.meta.dirname, '../support/held-main-thread.cjs');

describe('servers of a team', function () {
  this.timeout(120_000);
  let postgres: OwnPostgres;
  before(async function () {
    postgres = await requireOwnPostgres(this);
  });
  after(() => postgres?.[Symbol.asyncDispose]());

  /** The numbers of the stored events of a run, each row by its first and last. */
  async function storedEvents(database: string, runId: string): Promise<[number, number][]> {
    const client = new pg.Client(database);
    await client.connect();
    const { rows } = await client.query<{ first: number; last: number }>(
      'select first_seq::int as first, last_seq::int as last from run_events where run_id = $1 order by first_seq',
      [runId],
    );
    await client.end();
    return rows.map(({ first, last }) => [first, last]);
  }

  function assertWithoutGaps(rows: readonly [number, number][]): void {
    assert.ok(rows.length > 0);
    for (const [at, [first]] of rows.entries()) assert.equal(first, (rows[at - 1]?.[1] ?? 0) + 1);
  }

  async function readStream({ client }: TeamNode, threadId: string, runId: string): Promise<string[]> {
    const events: string[] = [];
    for await (const { id, event } of client.runs.joinStream(threadId, runId, { lastEventId: '-1' }))
      events.push(`${id} ${event}`);
    return events;
  }

  /** How often a run was begun or continued. */
  async function attemptsOf(database: string, runId: string): Promise<number> {
    const client = new pg.Client(database);
    await client.connect();
    const { rows } = await client.query<{ attempt: number }>(
      'select attempt::int from runs where run_id = $1',
      [runId],
    );
    await client.end();
    return rows[0]?.attempt ?? assert.fail();
  }

  it('continue the runs of a killed server, and show them to readers on every server', async () => {
    const database = await postgres.createDatabase();
    await using team = await makeTeam(database);
    const [one, other] = await Promise.all([team.start(), team.start()]);
    const { threadId, runId } = await team.begin(one);
    const next = await other.client.runs.create(threadId, 'steps', { input: {} });
    const reading = readStream(other, threadId, runId);
    process.kill(one.pid, 'SIGKILL');
    await team.letGo();
    assert.deepEqual(await other.client.runs.join(threadId, runId), BOTH);
    const events = await reading;
    assert.equal(new Set(events).size, events.length);
    assert.deepEqual(await readStream(other, threadId, runId), events);
    const values = await other.client.runs.join(threadId, next.run_id);
    assert.deepEqual(values, { steps: [...BOTH.steps, ...BOTH.steps] });
    assert.equal(await team.firstSteps(), 2, 'no step that was stored is done again');
    assertWithoutGaps(await storedEvents(database, runId));
  });

  it('continue the runs of a suspended server, which stores nothing more and exits when it resumes', async () => {
    const database = await postgres.createDatabase();
    await using team = await makeTeam(database);
    const [one, other] = await Promise.all([team.start(), team.start()]);
    const { threadId, runId } = await team.begin(one);
    process.kill(one.pid, 'SIGSTOP');
    // The suspended server's graph continues, and reports to it the step that another server is now doing.
    await team.letGo();
    assert.deepEqual(await other.client.runs.join(threadId, runId), BOTH);
    const before = await storedEvents(database, runId);
    const history = await other.client.threads.getHistory(threadId);
    process.kill(one.pid, 'SIGCONT');
    const { code, stderr } = await one.cli.ended();
    assert.equal(code, 5);
    assert.match(stderr, /Other servers have taken over the work of this one/);
    assert.deepEqual(await storedEvents(database, runId), before);
    assertWithoutGaps(before);
    assert.deepEqual(
      (await other.client.threads.getHistory(threadId)).map(({ checkpoint }) => checkpoint.checkpoint_id),
      history.map(({ checkpoint }) => checkpoint.checkpoint_id),
    );
    assert.equal(await team.firstSteps(), 1);
  });

  it('leave its runs to a server whose main thread is blocked for ten seconds', async () => {
    const database = await postgres.createDatabase();
    await using team = await makeTeam(database);
    await using one = await startHoldable(team);
    await team.start();
    const { threadId, runId } = await team.begin(one.node);
    await one.hold();
    await sleep(HELD_MS);
    await assert.rejects(fetch(`${one.node.url}/ok`, { signal: AbortSignal.timeout(500) }), /timeout/);
    await one.release();
    await team.letGo();
    assert.deepEqual(await one.node.client.runs.join(threadId, runId), BOTH);
    assert.equal(await team.firstSteps(), 1);
    assert.equal(await attemptsOf(database, runId), 1);
    assert.equal(one.node.cli.child.exitCode, null);
  });

  it('continue the runs of a server whose main thread stays blocked, which exits when it is unblocked', async () => {
    const database = await postgres.createDatabase();
    await using team = await makeTeam(database);
    await using one = await startHoldable(team);
    const other = await team.start();
    const { threadId, runId } = await team.begin(one.node);
    await one.hold();
    await team.letGo();
    assert.deepEqual(await other.client.runs.join(threadId, runId), BOTH);
    const before = await storedEvents(database, runId);
    await one.release();
    const { code, stderr } = await one.node.cli.ended();
    assert.equal(code, 5);
    assert.match(stderr, /Other servers have taken over the work of this one/);
    assert.deepEqual(await storedEvents(database, runId), before);
    assert.equal(await team.firstSteps(), 1);
    assert.equal(await attemptsOf(database, runId), 2);
  });

  it('take over nothing while their own main threads are blocked', async () => {
    const database = await postgres.createDatabase();
    await using team = await makeTeam(database);
    await using one = await startHoldable(team);
    const client = new pg.Client(database);
    await client.connect();
    const servers = async () => Number((await client.query('select count(*) from nodes')).rows[0].count);
    await one.hold();
    await sleep(HELD_MS / 2);
    await client.query(`insert into nodes (expires_at, deployments) values ('2000-01-01', '{}')`);
    await sleep(HELD_MS / 2);
    assert.equal(await servers(), 2);
    await one.release();
    await eventually('it has taken over', servers, (count) => count === 1, 30_000);
    await client.end();
  });

  it('take over from a stopped server, and all of them survive a crash of PostgreSQL', async () => {
    const database = await postgres.createDatabase();
    await using team = await makeTeam(database);
    const one = await team.start({ AGENT_HARBOR_DRAIN_SECONDS: '0' });
    const other = await team.start();
    const { threadId, runId } = await team.begin(one);
    process.kill(one.pid, 'SIGTERM');
    assert.equal((await one.cli.ended()).code, 0);
    const isRunning = async () => (await other.client.runs.get(threadId, runId)).status === 'running';
    await eventually('the other server has the run', isRunning, Boolean, 20_000);
    await postgres.restart();
    await team.letGo();
    const joined = () => other.client.runs.join(threadId, runId);
    assert.deepEqual(await eventually('the database answers again', joined, Boolean, 30_000), BOTH);
    assert.equal(await team.firstSteps(), 1);
    assertWithoutGaps(await storedEvents(database, runId));
    const started = await other.client.runs.wait(null, 'steps', { input: {} });
    assert.deepEqual(started, BOTH);
  });

  it('shut down in order when the command that started them is killed', async () => {
    await using team = await makeTeam(await postgres.createDatabase());
    const one = await team.start({ AGENT_HARBOR_DRAIN_SECONDS: '2' });
    const other = await team.start();
    const { threadId, runId } = await team.begin(one);
    one.cli.child.kill('SIGKILL');
    await eventually('the server has ended', () => !isAlive(one.pid), Boolean, 40_000);
    await team.letGo();
    assert.deepEqual(await other.client.runs.join(threadId, runId), BOTH);
  });
});

/** A server whose main thread can be blocked. */
interface HoldableNode extends AsyncDisposable {
  readonly node: TeamNode;
  /** From now on, nothing happens in its main thread. */
  hold(): Promise<void>;
  release(): Promise<void>;
}

async function startHoldable(team: Team): Promise<HoldableNode> {
  const folder = await temporaryFolder();
  const [held, released] = [path.join(folder.path, 'held'), path.join(folder.path, 'released')];
  const release = () => writeFile(released, '');
  const node = await team.start({
    NODE_OPTIONS: `--require=${HOLDING}`,
    HELD_FILE: held,
    RELEASE_FILE: released,
  });
  return {
    node,
    hold: async () => {
      process.kill(node.pid, 'SIGUSR2');
      await eventually('its main thread is held', () => existsSync(held));
    },
    release,
    [Symbol.asyncDispose]: async () => {
      await release();
      await folder[Symbol.asyncDispose]();
    },
  };
}
