import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { makeLogger } from '../../../../src/server/logger.ts';
import type { PostgresState } from '../../../../src/server/team/postgres/postgres-state.ts';
import { TeamAbandonedTraces } from '../../../../src/server/team/runs/abandoned-traces.ts';
import { DEPLOYMENT, deploymentDatabase } from '../../../support/deployment-database.ts';
import { type Platform, startPlatform } from '../../../support/platform.ts';
import { type Postgres, requirePostgres } from '../../../support/postgres.ts';
import { serverBundles } from '../../../support/server-bundles.ts';
import { openTeamState } from '../../../support/team-state.ts';
import { eventually } from '../../../support/wait.ts';

const PROJECT = 'left';
const NOW = new Date().toISOString();

describe('traces that servers of a team have left', function () {
  this.timeout(120_000);
  let postgres: Postgres;
  let url: string;
  let platform: Platform;
  before(async function () {
    postgres = await requirePostgres(this);
    this.timeout(120_000);
    url = await postgres.createDatabase();
    // Traces use functions that the state database defines.
    await (await deploymentDatabase({ postgres: url }))[Symbol.asyncDispose]();
    platform = await startPlatform({ traces: { url, link: (await serverBundles()).tracesLink.href } });
  });
  after(async () => {
    await platform?.close();
    await postgres?.[Symbol.asyncDispose]();
  });

  const traces = () => platform.tracing.interruptedTraces(platform.workspace.id, PROJECT);

  function leftOf(db: PostgresState): TeamAbandonedTraces {
    return new TeamAbandonedTraces({
      db,
      traces: traces(),
      deploymentId: DEPLOYMENT,
      logger: makeLogger({ level: 'silent' }),
    });
  }

  /** A run with an open trace. */
  async function begin(
    db: PostgresState,
    about: { on?: string; ended: boolean; deployment?: string; project?: string },
  ): Promise<string> {
    const { deployment = DEPLOYMENT } = about;
    const [run, thread] = [randomUUID(), randomUUID()];
    await sql`insert into threads (thread_id, deployment_id, metadata, status, config, interrupts, created_at, updated_at)
      values (${thread}, ${DEPLOYMENT}, '{}', 'idle', '{}', '{}', ${NOW}, ${NOW})`.execute(db);
    await sql`insert into runs (run_id, thread_id, deployment_id, assistant_id, graph_id, status, metadata, kwargs,
        multitask_strategy, attempt, stateless, created_at, updated_at, lease_owner, ended_at)
      values (${run}, ${thread}, ${deployment}, 'a', 'g', ${about.ended ? 'success' : 'running'}, '{}', '{}',
        'enqueue', 1, 0, ${NOW}, ${NOW}, ${about.on ?? null}, ${about.ended ? NOW : null})`.execute(db);
    await trace(run, { run_attempt: 1 }, about.project);
    return run;
  }

  /** Begins a trace. */
  async function trace(id: string, metadata: object, project = PROJECT): Promise<string> {
    const segment = `${NOW.replaceAll(/[-:.]/g, '').replace('Z', '000Z')}${id}`;
    const span = { id, trace_id: id, dotted_order: segment, name: 'agent', run_type: 'chain' };
    const said = { session_name: project, start_time: NOW, inputs: {}, extra: { metadata } };
    await platform.fetch('/runs/batch', { method: 'POST', body: { post: [{ ...span, ...said }] } });
    return id;
  }

  async function statusOf(id: string): Promise<string> {
    return ((await (await platform.fetch(`/runs/${id}`)).json()) as { status: string }).status;
  }

  /** Ends a server, and waits until others have taken over. */
  async function end(server: PostgresState, seenBy: PostgresState): Promise<void> {
    await server.destroy();
    const isGone = async () => !(await seenBy.listServers()).has(server.node);
    await eventually('others have taken over', isGone, Boolean, 30_000);
  }

  /** A server that has this duty, because it has taken over from servers of earlier tests. */
  async function openLooking(): Promise<{ one: PostgresState; looks: TeamAbandonedTraces }> {
    const one = await openTeamState(url);
    await eventually('the duty is free', () => one.duties.take(`traces:${DEPLOYMENT}`), Boolean, 30_000);
    const looks = leftOf(one);
    await looks.look();
    return { one, looks };
  }

  it('are ended, but only those of runs that have ended, and on servers that are gone', async () => {
    const [gone, one, other] = [await openTeamState(url), await openTeamState(url), await openTeamState(url)];
    const left = await begin(one, { on: gone.node, ended: true });
    const elsewhere = await begin(one, { on: gone.node, ended: true, project: 'of an experiment' });
    const kept = [
      await begin(one, { on: other.node, ended: true }),
      await begin(one, { on: gone.node, ended: false }),
      await begin(one, { ended: true }),
      await trace(randomUUID(), { run_attempt: 1 }),
      await trace(randomUUID(), {}),
    ];
    const looks = leftOf(one);
    await looks.look();
    assert.equal(await statusOf(left), 'pending', 'its server is there');
    await end(gone, one);
    await leftOf(other).look();
    assert.equal(await statusOf(left), 'pending', 'another server sees to it');
    await looks.look();
    assert.equal(await statusOf(left), 'error');
    assert.equal(await statusOf(elsewhere), 'error');
    for (const run of kept) assert.equal(await statusOf(run), 'pending');
    await Promise.all([one.destroy(), other.destroy()]);
  });

  it('are ended for a server that has come after the first look', async () => {
    const { one, looks } = await openLooking();
    const joined = await openTeamState(url);
    const left = await begin(one, { on: joined.node, ended: true });
    await looks.look();
    assert.equal(await statusOf(left), 'pending', 'its server is there');
    await end(joined, one);
    await looks.look();
    assert.equal(await statusOf(left), 'error');
    await one.destroy();
  });

  it('are ended even if their server came and went between two checks', async () => {
    const { one, looks } = await openLooking();
    const joined = await openTeamState(url);
    const left = await begin(one, { on: joined.node, ended: true });
    await end(joined, one);
    for (let count = 0; count < 10; count++) await looks.look();
    assert.equal(await statusOf(left), 'error');
    await one.destroy();
  });

  it('are left to other servers by one that is closed during a look', async () => {
    const { one, looks } = await openLooking();
    const other = await openTeamState(url);
    const isWaiting = async () => {
      const { rows } =
        await sql`select from pg_locks where relation = 'duties'::regclass and not granted`.execute(other);
      return rows.length > 0;
    };
    await other.transaction().execute(async (transaction) => {
      await sql`lock table duties in exclusive mode`.execute(transaction);
      looks.start();
      await eventually('it waits for the database', isWaiting);
      looks.close();
    });
    await eventually('the duty is free', () => other.duties.take(`traces:${DEPLOYMENT}`));
    await Promise.all([one.destroy(), other.destroy()]);
  });
});
