import assert from 'node:assert/strict';
import { waitForRevision } from '../../../src/client/wait-for-revision.ts';
import { slowGraphFile } from '../../support/control-plane/example-files.ts';
import { type GitRepository, gitRepository } from '../../support/control-plane/git-repository.ts';
import { type HttpPeer, httpPeer } from '../../support/http-peer.ts';
import { type Postgres, requirePostgres } from '../../support/postgres.ts';
import { installLine } from '../../support/projects.ts';
import { type PlatformNode, type PlatformTeam, platformTeam } from '../../support/team-platform.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { eventually } from '../../support/wait.ts';

/** Writes its environment to the file that should contain the components. */
const BUNDLER = `#!/usr/bin/env node
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
const folder = path.join(process.argv.at(-1), 'public', 'slow');
mkdirSync(folder, { recursive: true });
writeFileSync(path.join(folder, 'entrypoint.js'), JSON.stringify(process.env));
`;

/** Links the packages of LangGraph, and puts a bundler beside them. */
const installOf = (packages: string) => `
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
const link = (name) => symlinkSync(${JSON.stringify(packages)} + '/' + name, 'node_modules/' + name, 'junction');
const bundler = 'node_modules/@langchain/langgraph-ui';
mkdirSync(bundler, { recursive: true });
for (const name of readdirSync(${JSON.stringify(packages)})) if (name !== '@langchain') link(name);
for (const name of readdirSync(${JSON.stringify(`${packages}/@langchain`)})) link('@langchain/' + name);
writeFileSync(bundler + '/package.json', JSON.stringify({ type: 'module', bin: { 'langgraphjs-ui': 'bundle.js' } }));
writeFileSync(bundler + '/bundle.js', ${JSON.stringify(BUNDLER)});
`;

/** Users who deploy must not read the server's own variables. */
describe("the variables of a team's server", function () {
  this.timeout(180_000);
  const credential = 'only the server may have it';
  let postgres: Postgres;
  let objects: Awaited<ReturnType<typeof temporaryFolder>>;
  let repository: GitRepository;
  let receiver: HttpPeer;
  let team: PlatformTeam;
  let node: PlatformNode;
  before(async function () {
    postgres = await requirePostgres(this);
    objects = await temporaryFolder();
    repository = await gitRepository();
    receiver = await httpPeer((_, response) => void response.end());
    team = platformTeam({
      database: await postgres.createDatabase(),
      objects: objects.path,
      environment: { AWS_SECRET_ACCESS_KEY: credential },
    });
    node = await team.start();
  });
  after(async () => {
    await node?.[Symbol.asyncDispose]();
    await receiver?.[Symbol.asyncDispose]();
    await repository?.[Symbol.asyncDispose]();
    await objects?.[Symbol.asyncDispose]();
    await postgres?.[Symbol.asyncDispose]();
  });

  async function deploy(config: object, secrets: { name: string; value: string }[] = []): Promise<string> {
    await repository.push({
      'package.json': JSON.stringify({ name: 'curious', type: 'module' }),
      'install.mjs': installOf(`${await installLine('langgraph-1.7')}/node_modules`),
      'langgraph.json': JSON.stringify({ graphs: { slow: './src/slow.mjs:graph' }, ...config }),
      ...slowGraphFile(crypto.randomUUID()),
    });
    const { id, latest_revision_id } = await node.client.deployments.create({
      body: {
        name: crypto.randomUUID(),
        source: 'github',
        source_config: { repo_url: repository.url, install_command: 'node install.mjs' },
        source_revision_config: { repo_ref: 'main' },
        secrets,
      },
    });
    await waitForRevision(node.client.revisions, {
      deployment_id: id,
      revision_id: latest_revision_id ?? '',
    });
    return id;
  }
  const run = (deploymentId: string) =>
    node.agent(deploymentId).runs.wait(null, 'slow', { input: { ticks: 1 }, webhook: receiver.url });
  const header = (name: string) => ({
    webhooks: { env_prefix: '', headers: { 'x-it': `\${{ env.${name} }}` } },
  });

  it('are in no header of a webhook, which may have those of its deployment', async () => {
    for (const name of ['AGENT_HARBOR_SECRETS_KEY', 'AWS_SECRET_ACCESS_KEY']) {
      const id = await deploy(header(name));
      await assert.rejects(run(id), new RegExp(`webhooks.headers uses ${name}, which is not set`));
    }
    assert.equal(receiver.seen.length, 0);
    const id = await deploy(header('AWS_SECRET_ACCESS_KEY'), [
      { name: 'AWS_SECRET_ACCESS_KEY', value: 'its own' },
    ]);
    await run(id);
    await eventually('the webhook comes', () => receiver.seen.length > 0);
    assert.equal(receiver.seen[0]?.headers['x-it'], 'its own');
  });

  it("do not reach the bundler of a project's components", async () => {
    const id = await deploy({ ui: { slow: './ui.tsx' } });
    const at = `${node.url}/d/${id}/ui/slow`;
    const headers = { 'x-api-key': team.key, 'content-type': 'application/json' };
    const loaded = await fetch(at, { method: 'POST', headers, body: '{"name":"any"}' });
    assert.equal(loaded.status, 200, await loaded.text());
    const given = await (await fetch(`${at}/entrypoint.js`, { headers })).text();
    assert.match(given, /"LANGGRAPH_UI":/);
    for (const secret of [credential, team.key, team.secretsKey]) assert.ok(!given.includes(secret));
  });
});
