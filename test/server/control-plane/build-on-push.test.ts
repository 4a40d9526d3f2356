import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitForRevision } from '../../../src/client/wait-for-revision.ts';
import { npmLinkedProject, slowGraphFile } from '../../support/control-plane/example-files.ts';
import { type GitRepository, gitRepository } from '../../support/control-plane/git-repository.ts';
import { type ServerProcess, serverProcess } from '../../support/control-plane/server-process.ts';
import { eventually } from '../../support/wait.ts';

describe('build_on_push', function () {
  this.timeout(180_000);
  let server: ServerProcess;
  let repository: GitRepository;
  let deployment_id: string;

  before(async () => {
    server = await serverProcess();
    repository = await gitRepository();
    await repository.push(await npmLinkedProject('one'));
    const created = await server.client.deployments.create({
      body: {
        name: 'pushed',
        source: 'github',
        source_config: { repo_url: repository.url, build_on_push: true },
        source_revision_config: { repo_ref: 'main' },
      },
    });
    deployment_id = created.id;
    await live(created.latest_revision_id);
  });
  after(async () => {
    await repository?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  const live = (revision_id: string | null) =>
    waitForRevision(server.client.revisions, { deployment_id, revision_id: revision_id ?? '' });
  const revisions = async () => (await server.client.revisions.list({ params: { deployment_id } })).resources;
  const newest = (commit: string) =>
    eventually(
      'the push is live',
      async () => (await revisions())[0],
      (revision) =>
        revision.status === 'DEPLOYED' && revision.source_revision_config?.repo_commit_sha === commit,
      30_000,
    );

  /** Pushes while pushes create no revisions. @returns the commit */
  async function pushUnnoticed(greeting: string): Promise<string> {
    const params = { deployment_id };
    await server.client.deployments.update({ params, body: { source_config: { build_on_push: false } } });
    const commit = await repository.push(slowGraphFile(greeting));
    await sleep(1_500);
    await server.client.deployments.update({ params, body: { source_config: { build_on_push: true } } });
    return commit;
  }

  it('creates a revision for a push to its branch of a local repository, and for no other branch', async () => {
    await newest(await repository.push(slowGraphFile('two')));
    const count = (await revisions()).length;
    await repository.git('checkout', '--quiet', '-b', `other-${randomUUID()}`);
    try {
      await repository.push(slowGraphFile('not meant'));
    } finally {
      await repository.git('checkout', '--quiet', 'main');
    }
    await sleep(1_500);
    assert.equal((await revisions()).length, count);
  });

  it('finds a push made while the server was stopped', async () => {
    await server.stop();
    const commit = await repository.push(slowGraphFile('three'));
    await server.start();
    await newest(commit);
  });

  it('leaves a branch that was rolled back unchanged when the server starts', async () => {
    const [latest, older] = (await revisions()).filter(({ status }) => status === 'DEPLOYED');
    const params = { deployment_id, revision_id: older?.id ?? '' };
    await server.client.revisions.redeploy({ params });
    const [again] = await revisions();
    await live(again?.id ?? null);
    assert.notEqual(
      (await revisions())[0]?.source_revision_config?.repo_commit_sha,
      latest?.source_revision_config?.repo_commit_sha,
    );
    const count = (await revisions()).length;
    await server.stop();
    await server.start();
    await sleep(1_500);
    assert.equal((await revisions()).length, count);
    await newest(await repository.push(slowGraphFile('after it was rolled back')));
  });

  it('stops when it is turned off, which creates no revision', async () => {
    const count = (await revisions()).length;
    await pushUnnoticed('four');
    assert.equal((await revisions()).length, count);
  });

  it('accepts a signed webhook once, and refuses any other', async () => {
    const answer = await server.fetch(`/harbor/deployments/${deployment_id}/push-webhook`);
    const { url, secret } = (await answer.json()) as { url: string; secret: string };
    const body = JSON.stringify({ ref: 'refs/heads/main', after: await pushUnnoticed('five') });
    const send = (signature: string, event = 'push', text = body) =>
      fetch(url, {
        method: 'POST',
        headers: { 'x-github-event': event, 'x-hub-signature-256': signature },
        body: text,
      });
    const sign = (text: string) => `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
    assert.equal((await send('')).status, 403);
    assert.equal((await send(sign(`${body} `))).status, 403);
    assert.deepEqual(await (await send(sign(body), 'ping')).json(), { ignored: 'a ping event' });
    const other = JSON.stringify({ ref: 'refs/heads/other', after: 'x' });
    assert.deepEqual(await (await send(sign(other), 'push', other)).json(), {
      ignored: 'a push to refs/heads/other',
    });
    const { revision_id } = (await (await send(sign(body))).json()) as { revision_id: string };
    const revision = await live(revision_id);
    assert.match(revision.source_revision_config?.repo_commit_sha ?? '', /^[0-9a-f]{40}$/);
    assert.deepEqual(await (await send(sign(body))).json(), { ignored: 'already deployed' });
  });
});
