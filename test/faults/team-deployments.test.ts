import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { waitForRevision } from '../../src/client/wait-for-revision.ts';
import { LINK_PACKAGES, linkedProject } from '../support/control-plane/example-files.ts';
import { type GitRepository, gitRepository } from '../support/control-plane/git-repository.ts';
import { type ObjectStore, requireMoto } from '../support/object-stores.ts';
import { type Postgres, requirePostgres } from '../support/postgres.ts';
import { type PlatformNode, platformTeam } from '../support/team-platform.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { eventually } from '../support/wait.ts';

describe('deployments of a team', function () {
  this.timeout(180_000);
  let postgres: Postgres;
  let store: ObjectStore;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let repository: GitRepository;
  before(async function () {
    postgres = await requirePostgres(this);
    store = await requireMoto(this);
  });
  beforeEach(async () => {
    folder = await temporaryFolder();
    repository = await gitRepository();
  });
  afterEach(async () => {
    await repository[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });
  after(async () => {
    await store?.[Symbol.asyncDispose]();
    await postgres?.[Symbol.asyncDispose]();
  });

  const file = (name: string) => path.join(folder.path, name);
  const makeTeam = async () =>
    platformTeam({
      database: await postgres.createDatabase(),
      objects: `s3://${await store.createBucket()}/harbor`,
      environment: store.environment,
    });

  /** A project that notes each build in a file, and waits in it until another file exists. */
  async function push(greeting: string): Promise<void> {
    const files = await linkedProject(greeting);
    const noted = `
import { appendFileSync, existsSync } from 'node:fs';
appendFileSync(${JSON.stringify(file('builds'))}, '.');
while (!existsSync(${JSON.stringify(file('go'))})) await new Promise((resolve) => setTimeout(resolve, 50));
`;
    await repository.push({ ...files, 'install.mjs': `${noted}${files['install.mjs']}` });
  }
  const builds = async () => (await readFile(file('builds'), 'utf8').catch(() => '')).length;
  const letGo = () => writeFile(file('go'), '');
  /** Any server that is notified of a revision may build it. */
  const builderFirst = (one: PlatformNode, other: PlatformNode) =>
    one.process.children().length > 0 ? ([one, other] as const) : ([other, one] as const);

  async function deploy({ client }: PlatformNode) {
    const created = await client.deployments.create({
      body: {
        name: 'slow',
        source: 'github',
        source_config: { repo_url: repository.url, install_command: LINK_PACKAGES },
        source_revision_config: { repo_ref: 'main' },
      },
    });
    return { deployment_id: created.id, revision_id: created.latest_revision_id ?? '' };
  }
  const run = (node: PlatformNode, id: string) =>
    node.agent(id).runs.wait(null, 'slow', { input: { ticks: 1 } });
  const says = (greeting: string) => ({ ticks: 1, greeting });

  it('are built once and served by all of its servers, at one address', async () => {
    const team = await makeTeam();
    await letGo();
    await push('first');
    await using one = await team.start();
    await using other = await team.start();
    const params = await deploy(one);
    const { deployment_id: id } = params;
    await waitForRevision(other.client.revisions, params);
    assert.deepEqual(await run(other, id), says('first'));
    assert.deepEqual(await run(one, id), says('first'));
    assert.equal(await builds(), 1);
    const { source_config } = await other.client.deployments.get({ params });
    assert.equal(source_config.custom_url, `http://agents.example.com/of/team/d/${id}`);

    const [assistant] = await other.agent(id).assistants.search();
    const card = await fetch(
      `${other.url}/d/${id}/.well-known/agent-card.json?assistant_id=${assistant?.assistant_id}`,
      { headers: { 'x-api-key': team.key } },
    );
    const { url } = z.object({ url: z.string() }).parse(await card.json());
    assert.equal(url, `http://agents.example.com/of/team/d/${id}/a2a/${assistant?.assistant_id}`);

    const answers = async (at: string, init: RequestInit = {}) => {
      const answer = await fetch(`${other.url}${at}`, init);
      await answer.text();
      return answer.status;
    };
    const withKey = { headers: { 'x-api-key': team.key } };
    const search = { method: 'POST', body: '{}' };
    const json = { 'content-type': 'application/json' };
    assert.equal(await answers(`/d/${id}/threads/search`, { ...search, headers: json }), 401);
    const asked = { ...json, 'x-api-key': team.key };
    assert.equal(await answers(`/d/${id}/threads/search`, { ...search, headers: asked }), 200);
    const fromPage = { ...asked, origin: 'https://elsewhere.example.com' };
    assert.equal(await answers(`/d/${id}/threads/search`, { ...search, headers: fromPage }), 403);
    assert.equal(await answers('/v2/deployments'), 401);
    assert.equal(await answers('/harbor/folders', withKey), 404, 'folders are for the machine itself');
    assert.equal(await answers('//harbor/folders', withKey), 404);
    assert.equal(await answers(`/d/${crypto.randomUUID()}/ok`, withKey), 404);

    await push('second');
    const updated = await other.client.deployments.update({
      params,
      body: { source_revision_config: { repo_ref: 'main' } },
    });
    await waitForRevision(one.client.revisions, {
      deployment_id: id,
      revision_id: updated.latest_revision_id ?? '',
    });
    for (const node of [one, other]) {
      const isNew = async () => isDeepStrictEqual(await run(node, id), says('second'));
      await eventually('each server has come to the new revision', isNew, Boolean, 60_000);
    }
    assert.equal(await builds(), 2);

    await one.client.deployments.delete({ params });
    const hasGone = async () => (await answers(`/d/${id}/ok`)) === 404;
    await eventually('no server serves it', hasGone, Boolean, 60_000);
    for (const { process } of [one, other]) {
      const left = () => readdir(path.join(process.dataDir, 'deployments')).catch(() => []);
      await eventually(
        'no server has a file of it',
        async () => (await left()).length === 0,
        Boolean,
        60_000,
      );
    }
  });

  it('also have their own host names on all of its servers, if these are configured', async () => {
    const team = await makeTeam();
    await letGo();
    await push('hosted');
    const hosts = { AGENT_HARBOR_AGENTS_URL: 'https://*.agents.example.com:8443' };
    await using one = await team.start(hosts);
    await using other = await team.start(hosts);
    const params = await deploy(one);
    const { deployment_id: id } = params;
    await waitForRevision(one.client.revisions, params);
    const { source_config } = await other.client.deployments.get({ params });
    assert.equal(source_config.custom_url, `https://${id}.agents.example.com:8443`);

    const input = JSON.stringify({ assistant_id: 'slow', input: { ticks: 1 } });
    for (const node of [one, other]) {
      const atHost = (host: string, place: string, body?: string) =>
        ask(node, { host, place, key: team.key, body });
      const ran = await atHost(`${id.toUpperCase()}.agents.example.com`, '/runs/wait', input);
      assert.deepEqual([ran.status, JSON.parse(ran.text)], [200, says('hosted')]);
      assert.deepEqual(await run(node, id), says('hosted'));
      const metrics = await atHost(`${id}.agents.example.com:8443`, '/metrics');
      assert.match(metrics.text, /^harbor_runs_ended_total\{status="success"\} 2$/m);
      const ofAll = await fetch(`${node.url}/metrics`, { headers: { 'x-api-key': team.key } });
      assert.match(
        await ofAll.text(),
        new RegExp(
          `^harbor_runs_ended_total\\{deployment="slow",deployment_id="${id}",status="success"\\} 2$`,
          'm',
        ),
      );
      assert.equal((await fetch(`${node.url}/metrics`)).status, 401);
      assert.equal((await atHost(`${crypto.randomUUID()}.agents.example.com`, '/ok')).status, 404);
      assert.equal((await atHost(`${id}.agents.example.org`, '/runs/wait', input)).status, 404);
      assert.equal((await atHost('agents.example.com', '/v2/deployments')).status, 200);
    }

    await one.client.controlPlane.pausing.pause({ params: { deployment_id: id } });
    const { threads, runs } = other.agent(id);
    const paused = async () =>
      /^harbor_deployment_paused\S* 1$/m.test(
        await (await fetch(`${other.url}/metrics`, { headers: { 'x-api-key': team.key } })).text(),
      );
    await eventually('the other server has heard of the pause', paused, Boolean, 60_000);
    const { thread_id } = await threads.create();
    const { run_id } = await runs.create(thread_id, 'slow', { input: { ticks: 1 } });
    assert.equal((await runs.get(thread_id, run_id)).status, 'pending');
    await one.client.controlPlane.pausing.resume({ params: { deployment_id: id } });
    const status = async () => (await runs.get(thread_id, run_id)).status;
    await eventually('the run ends', status, (all) => all === 'success', 60_000);
  });

  it('are built by servers that build, and run by servers that run graphs', async () => {
    const team = await makeTeam();
    await letGo();
    await push('worked');
    await using front = await team.start({ AGENT_HARBOR_ROLES: 'api' });
    const params = await deploy(front);
    // A build would have begun immediately: servers that build look for work each second.
    await sleep(3_000);
    assert.equal(await builds(), 0);
    await using worker = await team.start({ AGENT_HARBOR_ROLES: 'runs,builds' });
    await waitForRevision(front.client.revisions, params);
    assert.deepEqual(await run(front, params.deployment_id), says('worked'));
    assert.equal(await builds(), 1);
    const ended = async ({ url }: PlatformNode) => {
      const metrics = await (await fetch(`${url}/d/${params.deployment_id}/metrics`)).text();
      return /^harbor_runs_ended_total\{status="success"\} (\d+)$/m.exec(metrics)?.[1];
    };
    assert.deepEqual([await ended(front), await ended(worker)], ['0', '1']);
  });

  it('are built completely even if the server that started the build is killed', async () => {
    const team = await makeTeam();
    await push('survived');
    await using one = await team.start();
    await using other = await team.start();
    const params = await deploy(one);
    await eventually('it is being built', async () => (await builds()) === 1, Boolean, 60_000);
    const [builder, left] = builderFirst(one, other);
    await builder.process.kill();
    await letGo();
    await waitForRevision(left.client.revisions, params);
    assert.deepEqual(await run(left, params.deployment_id), says('survived'));
    const { status_history } = await left.client.revisions.get({ params });
    assert.equal(status_history?.filter(({ status }) => status === 'DEPLOYED').length, 1);

    await builder.process.start();
    const isServed = () => run(builder, params.deployment_id).catch(() => undefined);
    assert.deepEqual(await eventually('it is served again', isServed, Boolean, 60_000), says('survived'));
    assert.equal(await builds(), 2, 'what was built is fetched');
  });

  it('are interrupted and deleted by any server while another one builds them', async () => {
    const team = await makeTeam();
    await push('never');
    await using one = await team.start();
    await using other = await team.start();
    const params = await deploy(one);
    await eventually('it is being built', async () => (await builds()) === 1, Boolean, 60_000);
    const [builder, far] = builderFirst(one, other);
    await far.client.revisions.interrupt({ params });
    const isStopped = () => builder.process.children().length === 0;
    await eventually('its commands have been stopped', isStopped, Boolean, 60_000);
    assert.equal((await builder.client.revisions.get({ params })).status, 'INTERRUPTED');
    await far.client.deployments.update({
      params,
      body: { source_revision_config: { repo_ref: 'main' } },
    });
    await eventually('it is built again', async () => (await builds()) === 2, Boolean, 60_000);
    await one.client.deployments.delete({ params });
    await assert.rejects(other.client.deployments.get({ params }), { status: 404 });
    for (const { process } of [one, other])
      await eventually('nothing is left to run', () => process.children().length === 0, Boolean, 60_000);
  });
});

/** Sends a request like a load balancer that keeps the client's Host header. */
async function ask(
  { url }: PlatformNode,
  { host, place, key, body }: { host: string; place: string; key: string; body?: string | undefined },
): Promise<{ status: number | undefined; text: string }> {
  const headers = { host, 'x-api-key': key, 'content-type': 'application/json' };
  const asked = request(`${url}${place}`, { method: body === undefined ? 'GET' : 'POST', headers }).end(body);
  const [answer]: IncomingMessage[] = await once(asked, 'response');
  return { status: answer?.statusCode, text: answer === undefined ? '' : await text(answer) };
}
