import assert from 'node:assert/strict';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { waitForRevision } from '../../src/client/wait-for-revision.ts';
import { LINK_PACKAGES, linkedProject } from '../support/control-plane/example-files.ts';
import { type GitRepository, gitRepository } from '../support/control-plane/git-repository.ts';
import { type OwnPostgres, requireOwnPostgres } from '../support/postgres.ts';
import { type PlatformNode, platformTeam } from '../support/team-platform.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { eventually, patience } from '../support/wait.ts';

describe('revisions of a team', function () {
  this.timeout(180_000);
  let postgres: OwnPostgres;
  let database: string;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let repository: GitRepository;
  before(async function () {
    postgres = await requireOwnPostgres(this);
  });
  beforeEach(async () => {
    folder = await temporaryFolder();
    repository = await gitRepository();
  });
  afterEach(async () => {
    await repository[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });
  after(() => postgres?.[Symbol.asyncDispose]());

  const file = (name: string) => path.join(folder.path, name);
  const makeTeam = async (environment: Readonly<Record<string, string>> = {}) => {
    database = await postgres.createDatabase();
    return platformTeam({ database, objects: file('objects'), environment });
  };
  const hold = (what: 'build' | 'load' | 'run') => writeFile(file(`hold-${what}`), '');
  const release = (what: 'build' | 'load' | 'run') => rm(file(`hold-${what}`));
  const breakLoads = () => writeFile(file('fail-load'), '');
  const mendLoads = () => rm(file('fail-load'));
  /** How often an action has started. */
  const count = async (what: 'build' | 'load' | 'run') =>
    (await readFile(file(what), 'utf8').catch(() => '')).length;
  const hasBegun = (what: 'build' | 'load' | 'run', times: number) =>
    eventually(`${what} ${times} has begun`, async () => (await count(what)) === times, Boolean, 60_000);

  /** A project that notes each build, load and run in a file, waits in them while they are held, or fails; short runs never wait. */
  async function push(greeting: string): Promise<void> {
    const noting = (what: string) => `
import { appendFileSync, existsSync } from 'node:fs';
appendFileSync(${JSON.stringify(file(what))}, '.');
while (existsSync(${JSON.stringify(file(`hold-${what}`))})) await new Promise((resolve) => setTimeout(resolve, 50));
if (existsSync(${JSON.stringify(file(`fail-${what}`))})) throw new Error('It fails here.');
`;
    const files = await linkedProject(greeting);
    const graph = files['src/slow.mjs']?.replace(
      'for (let tick',
      `appendFileSync(${JSON.stringify(file('run'))}, '.');
  while (ticks > 20 && existsSync(${JSON.stringify(file('hold-run'))})) await new Promise((resolve) => setTimeout(resolve, 50));
  for (let tick`,
    );
    await repository.push({
      ...files,
      'install.mjs': `${noting('build')}${files['install.mjs']}`,
      'src/slow.mjs': `${noting('load')}${graph}`,
    });
  }
  async function deploy(
    { client }: PlatformNode,
    more: { build_on_push?: boolean; drain_minutes?: number } = {},
  ) {
    const created = await client.deployments.create({
      body: {
        name: 'slow',
        source: 'github',
        source_config: { repo_url: repository.url, install_command: LINK_PACKAGES, ...more },
        source_revision_config: { repo_ref: 'main' },
      },
    });
    return { deployment_id: created.id, revision_id: created.latest_revision_id ?? '' };
  }
  async function deployAgain({ client }: PlatformNode, deployment_id: string) {
    const updated = await client.deployments.update({
      params: { deployment_id },
      body: { source_revision_config: { repo_ref: 'main' } },
    });
    return { deployment_id, revision_id: updated.latest_revision_id ?? '' };
  }
  const run = (node: PlatformNode, id: string, ticks = 1) =>
    node.agent(id).runs.wait(null, 'slow', { input: { ticks } });

  /** All responses of a server until it has ended. */
  async function answersUntil(url: string, ended: Promise<void>) {
    const answers: { status: number; connection: string | null }[] = [];
    let isOver = false;
    void ended.finally(() => (isOver = true));
    while (!isOver) {
      const answer = await fetch(url).catch(() => undefined);
      if (answer !== undefined)
        answers.push({ status: answer.status, connection: answer.headers.get('connection') });
      await sleep(5);
    }
    assert.ok(answers.length > 0, 'The server answered nobody while it ended.');
    return answers;
  }

  /** A deployment whose server is gone. */
  async function deployBefore() {
    const team = await makeTeam();
    await push('first');
    await using node = await team.start();
    const params = await deploy(node);
    await waitForRevision(node.client.revisions, params);
    return { team, id: params.deployment_id };
  }

  /** A new server that is about to load the graphs of what another one has deployed. */
  async function startHeld() {
    const { team, id } = await deployBefore();
    await hold('load');
    const node = await team.start();
    await hasBegun('load', 2);
    return { node, id };
  }

  it('are served only once by a new server, even if the same deployment is deployed on it meanwhile', async () => {
    const { node, id } = await startHeld();
    await using _node = node;
    const params = await deployAgain(node, id);
    const status = async () => (await node.client.revisions.get({ params })).status;
    await eventually('it is being deployed', status, (now) => now === 'DEPLOYING', 60_000);
    // Time to begin beside the first one.
    await sleep(2_000);
    await release('load');
    await waitForRevision(node.client.revisions, params);
    assert.deepEqual(await run(node, id, 30), { ticks: 30, greeting: 'first' });
    assert.equal(await count('run'), 1);
  });

  it('keep the source that they are built from while their server loads an earlier revision', async () => {
    const { node, id } = await startHeld();
    await using _node = node;
    await hold('build');
    await push('second');
    const params = await deployAgain(node, id);
    await hasBegun('build', 2);
    await release('load');
    assert.deepEqual(await run(node, id), { ticks: 1, greeting: 'first' });
    await release('build');
    await waitForRevision(node.client.revisions, params);
    assert.deepEqual(await run(node, id), { ticks: 1, greeting: 'second' });
    assert.equal((await readdir(file(`objects/sources/${id}`))).length, 2);
  });

  it('are served by no server on which their graphs do not load, until it tries again with success', async () => {
    const { team, id } = await deployBefore();
    await breakLoads();
    await using node = await team.start();
    const answer = async () => (await fetch(`${node.url}/d/${id}/ok`)).status;
    const isTriedAgain = async () => (await count('load')) > 2 || (await answer()) === 200;
    await eventually('it is tried again', isTriedAgain, Boolean, 60_000);
    assert.equal(await answer(), 503);
    await mendLoads();
    await eventually('it is served', answer, (status) => status === 200, 60_000);
    assert.deepEqual(await run(node, id), { ticks: 1, greeting: 'first' });
  });

  it('are deployed even if PostgreSQL is unreachable while they are built, and are served from then on', async () => {
    const team = await makeTeam({ AGENT_HARBOR_DATABASE_PATIENCE_SECONDS: '1' });
    await hold('build');
    await push('outlasted');
    await using one = await team.start();
    await using other = await team.start();
    const params = await deploy(one);
    await hasBegun('build', 1);
    const [builder, far] = one.process.children().length > 0 ? [one, other] : [other, one];
    await postgres.stop();
    await release('build');
    await eventually('it is built', () => builder.process.children().length === 0, Boolean, 60_000);
    // Waits for longer than requests do, so that everything that has a time limit fails.
    await sleep(5_000);
    await postgres.start();
    await waitForRevision(far.client.revisions, params, { signal: AbortSignal.timeout(60_000 * patience) });
    const { status_history } = await far.client.revisions.get({ params });
    assert.deepEqual(
      status_history?.map(({ status }) => status),
      ['CREATING', 'AWAITING_BUILD', 'BUILDING', 'AWAITING_DEPLOY', 'DEPLOYING', 'DEPLOYED'],
    );
    await waitForRevision(far.client.revisions, await deployAgain(far, params.deployment_id));
    await far.client.deployments.delete({ params });
    await assert.rejects(builder.client.deployments.get({ params }), { status: 404 });
  });

  it('are built by another server when the one that gets the request is about to stop', async () => {
    const { team, id } = await deployBefore();
    await using ending = await team.start();
    await using other = await team.start();
    const { thread_id } = await ending.agent(id).threads.create();
    await ending.agent(id).runs.create(thread_id, 'slow', { input: { ticks: 100 } });
    await hasBegun('run', 1);
    await hold('build');
    await push('second');
    const ended = ending.process.stop();
    const isEnding = async () => (await fetch(`${ending.url}/ready`)).status === 503;
    await eventually('it is about to end', isEnding, Boolean);
    const answers = answersUntil(`${ending.url}/d/${id}/ok`, ended);
    const params = await deployAgain(ending, id);
    await hasBegun('build', 2);
    await ended;
    // A client treats a 404 as final and retries after a 503. On a kept connection, it would reach the
    // stopping server again.
    for (const { status, connection } of await answers) {
      assert.ok(status === 200 || status === 503, `status ${status}`);
      assert.equal(connection, 'close');
    }
    await release('build');
    await waitForRevision(other.client.revisions, params);
    assert.equal(await count('build'), 2);
  });

  it('that drain have their runs finished by other servers too, with the code on which the runs started', async () => {
    const team = await makeTeam();
    await push('first');
    await using one = await team.start();
    const before = await deploy(one, { drain_minutes: 60 });
    const { deployment_id: id } = before;
    await waitForRevision(one.client.revisions, before);
    await hold('run');
    const { thread_id } = await one.agent(id).threads.create();
    const { run_id } = await one.agent(id).runs.create(thread_id, 'slow', { input: { ticks: 21 } });
    await hasBegun('run', 1);
    await push('second');
    await waitForRevision(one.client.revisions, await deployAgain(one, id));
    // The second server joins while the earlier revision is already draining, and has none of its files.
    await using other = await team.start();
    const answer = () => run(other, id).catch(() => undefined);
    await eventually(
      'it serves the new one',
      async () => JSON.stringify(await answer()),
      (values) => values === JSON.stringify({ ticks: 1, greeting: 'second' }),
      60_000,
    );
    const draining = async () => (await other.client.revisions.get({ params: before })).draining?.runs;
    assert.equal(await draining(), 1);
    await one.process.kill();
    await release('run');
    const { runs, threads } = other.agent(id);
    await runs.join(thread_id, run_id);
    const { values } = await threads.getState<{ greeting: string }>(thread_id);
    assert.equal(values.greeting, 'first');
    await eventually('it has drained', async () => (await draining()) === undefined, Boolean, 60_000);
  });

  it('are created for a push by another server when the responsible one has stopped', async () => {
    const team = await makeTeam();
    await push('first');
    await using node = await team.start();
    const params = await deploy(node, { build_on_push: true });
    await waitForRevision(node.client.revisions, params);
    const client = new pg.Client(database);
    await client.connect();
    try {
      // A server that is gone, which the others have not noticed yet.
      await client.query("insert into nodes (expires_at, deployments) values ('infinity', '{}')");
      await client.query(`insert into duties select $1, number from nodes where expires_at = 'infinity'`, [
        `pushes:${params.deployment_id}`,
      ]);
      const commit = await repository.push({ 'README.md': 'pushed' });
      // Time to notice it, and to leave it to the other.
      await sleep(5_000);
      const newest = async () => (await node.client.revisions.list({ params })).resources[0];
      assert.equal((await newest())?.id, params.revision_id);
      await client.query("delete from nodes where expires_at = 'infinity'");
      const isOfPush = async () => (await newest())?.source_revision_config?.repo_commit_sha === commit;
      await eventually('the push is deployed', isOfPush, Boolean, 60_000);
    } finally {
      await client.end();
    }
  });
});
