import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { waitForRevision } from '../../src/client/wait-for-revision.ts';
import { LINK_PACKAGES, linkedProject } from '../support/control-plane/example-files.ts';
import { gitRepository } from '../support/control-plane/git-repository.ts';
import { type OwnPostgres, requireOwnPostgres } from '../support/postgres.ts';
import { requirePostgresTools } from '../support/postgres-tools.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';
import { makeTeam } from '../support/team.ts';
import { platformTeam } from '../support/team-platform.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { eventually } from '../support/wait.ts';

const BOTH = { steps: ['first', 'second'] };

describe('a team that has lost something', function () {
  this.timeout(300_000);
  let postgres: OwnPostgres;
  /** The port of the replica, which has every transaction. */
  let replicaPort: number;
  before(async function () {
    postgres = await requireOwnPostgres(this);
    replicaPort = await postgres.addStandby();
  });
  after(() => postgres?.[Symbol.asyncDispose]());

  it('continues from a dump of the replica, in the next major version of PostgreSQL', async function () {
    const tools = await requirePostgresTools(this);
    this.timeout(300_000);
    await using scratch = await temporaryFolder();
    const dump = path.join(scratch.path, 'harbor.dump');
    const database = await postgres.createDatabase();
    await using team = await makeTeam(database);
    const one = await team.start();
    const early = await team.begin(one);
    const replica = new URL(database);
    replica.port = String(replicaPort);
    await tools.dump(replica.href, dump);
    const late = await team.begin(one);
    process.kill(one.pid, 'SIGKILL');
    await one.cli.ended();

    await using next = await requireOwnPostgres(this, [], tools.bin);
    const restored = await next.createDatabase();
    await tools.restore(dump, restored);
    const client = new pg.Client(restored);
    await client.connect();
    const { rows } = await client.query<{ server_version_num: string }>('show server_version_num');
    await client.end();
    assert.match(rows[0]?.server_version_num ?? '', /^18/);
    await team.letGo();
    const other = await team.start({ DATABASE_URL: restored });
    assert.deepEqual(await other.client.runs.join(early.threadId, early.runId), BOTH);
    assert.equal(await team.firstSteps(), 2, 'what was stored is not done again');
    await assert.rejects(other.client.threads.get(late.threadId), /404/);
    const { thread_id: after } = await other.client.threads.create();
    assert.deepEqual(await other.client.runs.wait(after, 'steps', { input: {} }), BOTH);
  });

  it('serves deployments again once an empty store has the marker of the lost one and they are deployed again', async () => {
    await using scratch = await temporaryFolder();
    const objects = path.join(scratch.path, 'objects');
    await mkdir(objects);
    await using repository = await gitRepository();
    await repository.push(await linkedProject('before'));
    const team = platformTeam({ database: await postgres.createDatabase(), objects });
    const { id, thread } = await (async () => {
      await using one = await team.start();
      const created = await one.client.deployments.create({
        body: {
          name: 'slow',
          source: 'github',
          source_config: { repo_url: repository.url, install_command: LINK_PACKAGES },
          source_revision_config: { repo_ref: 'main' },
        },
      });
      const params = { deployment_id: created.id, revision_id: created.latest_revision_id ?? '' };
      await waitForRevision(one.client.revisions, params);
      const { thread_id } = await one.agent(created.id).threads.create();
      await one.agent(created.id).runs.wait(thread_id, 'slow', { input: { ticks: 1 } });
      return { id: created.id, thread: thread_id };
    })();

    await rm(objects, { recursive: true });
    const said = await team.start().then(
      () => assert.fail('it has started without its objects'),
      (error: unknown) => String(error),
    );
    const [, mark] = /it has no \.agent-harbor-objects with the text ([\w-]+)/.exec(said) ?? [];
    assert.ok(mark !== undefined, said);
    await mkdir(objects, { recursive: true });
    await writeFile(path.join(objects, '.agent-harbor-objects'), mark);
    await using other = await team.start();
    const asked = await fetch(`${other.url}/d/${id}/threads/${thread}/state`, {
      headers: { 'x-api-key': team.key },
    });
    assert.equal(asked.status, 503, await asked.text());

    await repository.push(await linkedProject('after'));
    const params = { deployment_id: id };
    const body = { source_revision_config: { repo_ref: 'main' } };
    const updated = await other.client.deployments.update({ params, body });
    await waitForRevision(other.client.revisions, {
      ...params,
      revision_id: updated.latest_revision_id ?? '',
    });
    const agent = other.agent(id);
    const { values } = await agent.threads.getState(thread);
    assert.deepEqual(values, { ticks: 1, greeting: 'before' });
    const again = await agent.runs.wait(thread, 'slow', { input: { ticks: 1 } });
    assert.deepEqual(again, { ticks: 1, greeting: 'after' });
  });

  it('continues in the other zone when a zone is lost with its servers and PostgreSQL', async () => {
    const database = new URL(await postgres.createDatabase());
    await using network = await tcpProxy(postgres.port);
    database.port = String(network.port);
    await using team = await makeTeam(database.href);
    const [here, there] = await Promise.all([team.start(), team.start()]);
    const mine = await team.begin(here);
    const others = await team.begin(there);
    process.kill(here.pid, 'SIGKILL');
    await postgres.failOver();
    network.lead(postgres.port);
    await team.letGo();
    for (const { threadId, runId } of [mine, others])
      assert.deepEqual(
        await eventually('it is joined', () => there.client.runs.join(threadId, runId), Boolean, 60_000),
        BOTH,
      );
    assert.equal(await team.firstSteps(), 2, 'what was acknowledged is not done again');
    assert.equal(there.cli.child.exitCode, null);
  });
});
