import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseUnreachable } from '../../../../src/process/database-unreachable.ts';
import { CronClock, type CronClockOptions } from '../../../../src/server/agent-server/crons/cron-clock.ts';
import { CronStore } from '../../../../src/server/agent-server/data/cron-store.ts';
import { LogBook } from '../../../../src/server/runtimes/output/log-book.ts';
import { DEPLOYMENT, deploymentDatabase } from '../../../support/deployment-database.ts';
import { type Postgres, requirePostgres } from '../../../support/postgres.ts';
import { Executions } from '../../../support/run-scheduler.ts';
import { type SharedServer, startServers } from '../../../support/shared-servers.ts';
import { openTeamState } from '../../../support/team-state.ts';
import { eventually } from '../../../support/wait.ts';

/** The maximum wait of clocks; a clock that starts leaves due crons to others for twice this time. */
const MAX_WAIT_MS = 500;
const LONG_AGO_MS = 60_000;

describe('crons of servers that share a database', function () {
  this.timeout(60_000);
  let postgres: Postgres;
  let made: Awaited<ReturnType<typeof deploymentDatabase>>;
  let servers: SharedServer[];
  let executions: Executions;
  before(async function () {
    postgres = await requirePostgres(this);
  });
  after(() => postgres?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    const url = await postgres.createDatabase();
    made = await deploymentDatabase({ postgres: url });
    executions = new Executions();
    servers = await startServers([await openTeamState(url), await openTeamState(url)], executions);
  });
  afterEach(async () => {
    executions.endThose(() => true);
    for (const { scheduler, db } of servers) {
      await scheduler.close();
      await db.destroy();
    }
    await made[Symbol.asyncDispose]();
  });

  const store = () => new CronStore(made.db, DEPLOYMENT);

  async function insertDue(agoMs: number): Promise<string> {
    const due = new Date(Date.now() - agoMs).toISOString();
    const cron_id = crypto.randomUUID();
    await store().insert({
      cron_id,
      deployment_id: DEPLOYMENT,
      assistant_id: 'a',
      thread_id: null,
      schedule: '0 0 1 1 *',
      timezone: null,
      end_time: null,
      enabled: 1,
      on_run_completed: 'keep',
      payload: '{"input":{}}',
      metadata: '{}',
      user_id: null,
      next_run_date: due,
      created_at: due,
      updated_at: due,
    });
    return cron_id;
  }

  const clockOf = ({ db, requests }: SharedServer, options: Partial<CronClockOptions> = {}) =>
    new CronClock({
      store: new CronStore(db, DEPLOYMENT),
      requests,
      log: new LogBook(),
      maxWaitMs: MAX_WAIT_MS,
      ...options,
    });

  const isPlanned = async (cronId: string) => {
    const next = (await store().find(cronId))?.next_run_date ?? '';
    return next > new Date().toISOString();
  };

  it('start the run of a due cron once', async () => {
    const cronId = await insertDue(MAX_WAIT_MS);
    const clocks = servers.map((server) => clockOf(server));
    await Promise.all(clocks.map((clock) => clock.start()));
    // Each waits for the runs that it has started.
    await Promise.all(clocks.map((clock) => clock.close()));
    assert.equal(executions.started.length, 1);
    assert.equal(executions.started[0]?.identity.metadata.cron_id, cronId);
  });

  it('start its run late when the database was away, even when another server has started before', async () => {
    const [one, other] = servers;
    assert.ok(one && other);
    let isAway = true;
    const { requests } = one;
    const createStateless: typeof requests.createStateless = (...given) =>
      isAway ? Promise.reject(new DatabaseUnreachable()) : requests.createStateless(...given);
    const createOnThread = requests.createOnThread.bind(requests);
    const clock = clockOf(one, { requests: { createStateless, createOnThread } });
    await clock.start();
    const cronId = await insertDue(LONG_AGO_MS);
    clock.wake();
    const joining = clockOf(other);
    await joining.start();
    isAway = false;
    await eventually('its run has started', () => executions.started.length === 1);
    await eventually('its next run is planned', () => isPlanned(cronId));
    for (const each of [clock, joining]) await each.close();
    assert.equal(executions.started.length, 1);
  });

  it('are found by a server without crons when another one creates them', async () => {
    const clock = clockOf(servers[0] ?? assert.fail());
    await clock.start();
    await delay(MAX_WAIT_MS / 5);
    // By now, the server has checked for due crons.
    await delay(MAX_WAIT_MS / 2);
    await insertDue(MAX_WAIT_MS);
    await eventually('its run has started', () => executions.started.length === 1);
    await clock.close();
  });

  it('skip a run that is long overdue', async () => {
    const cronId = await insertDue(LONG_AGO_MS);
    const clock = clockOf(servers[0] ?? assert.fail());
    await clock.start();
    await eventually('its next run is planned', () => isPlanned(cronId));
    await clock.close();
    assert.equal(executions.started.length, 0);
  });
});
