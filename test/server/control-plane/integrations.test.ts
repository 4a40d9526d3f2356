import assert from 'node:assert/strict';
import { waitForRevision } from '../../../src/client/wait-for-revision.ts';
import { GithubApi } from '../../../src/server/control-plane/integrations/github-api.ts';
import { LINK_PACKAGES, linkedProject } from '../../support/control-plane/example-files.ts';
import { type FakeGithub, fakeGithub } from '../../support/control-plane/fake-github.ts';
import { type GitRepository, gitRepository } from '../../support/control-plane/git-repository.ts';
import { type ServerProcess, serverProcess } from '../../support/control-plane/server-process.ts';

import { httpPeer, json } from '../../support/http-peer.ts';

const TOKEN = 'ghp_a_token_that_nobody_may_see';

describe('an integration with GitHub', function () {
  this.timeout(60_000);
  let repository: GitRepository;
  let github: FakeGithub;
  let server: ServerProcess;

  before(async () => {
    repository = await gitRepository();
    await repository.push(await linkedProject('private'));
    github = await fakeGithub({ token: TOKEN, repositories: { secret: repository.bareDir }, listed: 120 });
    server = await serverProcess({ args: ['--github-api', github.api] });
  });
  after(async () => {
    await server?.[Symbol.asyncDispose]();
    await github?.[Symbol.asyncDispose]();
    await repository?.[Symbol.asyncDispose]();
  });

  const deploy = (name: string, integrationId: string | null) =>
    server.client.deployments.create({
      body: {
        name,
        source: 'github',
        source_config: {
          repo_url: github.repositoryUrl('secret'),
          integration_id: integrationId,
          install_command: LINK_PACKAGES,
        },
        source_revision_config: { repo_ref: 'main' },
      },
    });
  const wait = ({ id, latest_revision_id }: { id: string; latest_revision_id?: string | null | undefined }) =>
    waitForRevision(server.client.revisions, { deployment_id: id, revision_id: latest_revision_id ?? '' });

  it('is created with a valid GitHub token, lists all repositories, and can be deleted', async () => {
    const { ownIntegrations, integrations } = server.client.controlPlane;
    await assert.rejects(
      ownIntegrations.create({ body: { name: 'wrong', token: 'ghp_wrong' } }),
      /does not accept/,
    );
    const made = await ownIntegrations.create({ body: { name: 'mine', token: TOKEN } });
    assert.deepEqual(await integrations.list(), [made]);
    assert.deepEqual(await integrations.forgeList(), [made]);
    const params = { integration_id: made.id };
    const repositories = await integrations.repositories({ params });
    assert.equal(repositories.length, 121);
    assert.deepEqual(repositories[0], {
      host_integration_id: made.id,
      id: 1,
      name: 'secret',
      owner: 'octocat',
      url: github.repositoryUrl('secret'),
      default_branch: 'main',
    });
    assert.deepEqual(await integrations.forgeRepositories({ params }), repositories);
    await ownIntegrations.delete({ params });
    await assert.rejects(integrations.repositories({ params }), /Integration ID .* not found/);
  });

  it('allows deploying private repositories, and never shows its token', async () => {
    await assert.rejects(
      wait(await deploy(`without ${crypto.randomUUID()}`, null)),
      /BUILD_FAILED: git could not fetch/,
    );
    const made = await server.client.controlPlane.ownIntegrations.create({
      body: { name: 'mine', token: TOKEN },
    });
    const deployed = await deploy(`with ${crypto.randomUUID()}`, made.id);
    await wait(deployed);
    assert.ok(github.gitCredentials.length > 0);
    const place = { deployment_id: deployed.id, revision_id: deployed.latest_revision_id ?? '' };
    const { logs } = await server.client.controlPlane.deploymentLogs.build({ params: place, body: {} });
    const text = JSON.stringify(logs) + (await server.log());
    assert.match(text, /using its token/);
    assert.ok(
      !text.includes(TOKEN) && !text.includes(Buffer.from(`x-access-token:${TOKEN}`).toString('base64')),
    );
  });

  it('sends its token to no other host', async () => {
    await using other = await fakeGithub({ token: TOKEN, repositories: { secret: repository.bareDir } });
    const [made] = await server.client.controlPlane.integrations.list();
    const created = await server.client.deployments.create({
      body: {
        name: `elsewhere ${crypto.randomUUID()}`,
        source: 'github',
        source_config: { repo_url: other.repositoryUrl('secret'), integration_id: made?.id ?? '' },
        source_revision_config: { repo_ref: 'main' },
      },
    });
    await assert.rejects(wait(created), /BUILD_FAILED/);
    assert.deepEqual(other.gitCredentials, []);
  });

  it('tells a limit of requests from a refused token', async () => {
    for (const [status, headers, expected] of [
      [403, {}, 400],
      [403, { 'x-ratelimit-remaining': '4999' }, 400],
      [403, { 'x-ratelimit-remaining': '0' }, 502],
      [403, { 'retry-after': '60' }, 502],
      [429, {}, 502],
    ] as const) {
      await using peer = await httpPeer((_, response) => json(response, status, {}, headers));
      const reading = new GithubApi(peer.url).readUser(TOKEN);
      const message = expected === 502 ? /limits requests.*Try again later/ : /does not accept this token/;
      await assert.rejects(reading, { status: expected, message });
    }
  });

  it('knows where the repositories of an API are', () => {
    for (const [api, web] of [
      ['https://api.github.com', 'https://github.com'],
      ['https://api.octo.ghe.com/', 'https://octo.ghe.com'],
      ['https://github.example.com/api/v3', 'https://github.example.com'],
    ] as const) {
      assert.equal(new GithubApi(api).webOrigin, web);
    }
  });
});
