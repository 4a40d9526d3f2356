import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client as LangGraphClient } from '@langchain/langgraph-sdk';
import { npmLinkedProject } from '../support/control-plane/example-files.ts';
import { type ServerProcess, serverProcess } from '../support/control-plane/server-process.ts';
import { langgraph, langgraphCli } from '../support/langgraph-cli.ts';
import { skip } from '../support/skip.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('the public langgraph command line', function () {
  this.timeout(300_000);
  let cli: string;
  let server: ServerProcess;
  let project: Awaited<ReturnType<typeof temporaryFolder>>;

  const run = (...args: string[]) =>
    langgraph(cli, args, {
      cwd: project.path,
      env: { LANGGRAPH_HOST_URL: server.baseUrl, LANGGRAPH_HOST_API_KEY: server.apiKey },
    });

  before(async function () {
    const found = await langgraphCli();
    if ('missing' in found) skip(this, found.missing);
    cli = found.file;
    server = await serverProcess();
    project = await temporaryFolder();
    for (const [name, text] of Object.entries({
      ...(await npmLinkedProject('from the public command line')),
      '.env': 'OPENAI_API_KEY=not-a-real-key\nLANGSMITH_API_KEY=reserved\n',
    })) {
      const file = path.join(project.path, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text);
    }
  });
  after(async () => {
    await project?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  it('deploys a project by upload, and lists, shows logs of, updates and deletes the deployment', async () => {
    const deployed = await run('deploy', '--remote', '--no-input', '--name', 'public-cli');
    assert.equal(deployed.code, 0, deployed.output);
    const [deployment] = (await server.client.deployments.list()).resources;
    assert.ok(deployment);
    assert.equal(deployment.name, 'public-cli');
    assert.deepEqual(
      deployment.secrets.map(({ name }) => name),
      ['OPENAI_API_KEY'],
    );

    const sdk = new LangGraphClient({
      apiUrl: deployment.source_config.custom_url ?? '',
      apiKey: server.apiKey,
    });
    const values = await sdk.runs.wait(null, 'slow', { input: { ticks: 1 } });
    assert.deepEqual(values, { ticks: 1, greeting: 'from the public command line' });

    const listed = await run('deploy', 'list');
    assert.equal(listed.code, 0, listed.output);
    assert.match(
      listed.output,
      new RegExp(`${deployment.id}.*public-cli.*${deployment.source_config.custom_url}`),
    );

    const revisions = await run('deploy', 'revisions', 'list', deployment.id);
    assert.equal(revisions.code, 0, revisions.output);
    assert.match(revisions.output, /DEPLOYED/);

    const log = await run('deploy', 'logs', '--name', 'public-cli');
    assert.equal(log.code, 0, log.output);
    assert.match(log.output, /\[INFO\] Revision .* is deployed/);
    const build = await run(
      'deploy',
      'logs',
      '--deployment-id',
      deployment.id,
      '--type',
      'build',
      '--query',
      'NPM CI',
    );
    assert.equal(build.code, 0, build.output);
    assert.match(build.output, /npm ci/);
    const errors = await run('deploy', 'logs', '--deployment-id', deployment.id, '--level', 'critical');
    assert.match(errors.output, /No log entries found/);

    const listeners = await run('deploy', 'listeners', 'list');
    assert.equal(listeners.code, 0, listeners.output);

    const deleted = await run('deploy', 'delete', '--force', deployment.id);
    assert.equal(deleted.code, 0, deleted.output);
    assert.match((await run('deploy', 'list')).output, /No deployments found/);
  });

  it('shows why a build failed', async () => {
    const manifest = { name: 'broken', dependencies: { '@langchain/langgraph': '1.7.3' } };
    await writeFile(path.join(project.path, 'package.json'), JSON.stringify(manifest));
    const failed = await run('deploy', '--remote', '--no-input', '--name', 'broken');
    assert.match(failed.output, /Last build log lines:/);
    assert.match(failed.output, /npm error/);
    assert.match(failed.output, /Deployment failed/);
    const [deployment] = (await server.client.deployments.list()).resources;
    const [revision] = (
      await server.client.revisions.list({ params: { deployment_id: deployment?.id ?? '' } })
    ).resources;
    assert.equal(revision?.status, 'BUILD_FAILED');
    assert.match(
      revision?.status_message ?? '',
      /npm ci.*package-lock.json is out of date\. Run npm install/,
    );
  });

  it('gets the errors that it expects for unsupported requests', async () => {
    const missing = await run('deploy', 'delete', '--force', '01900000-0000-7000-8000-000000000000');
    assert.equal(missing.code, 1);
    assert.match(missing.output, /Deployment ID 01900000-0000-7000-8000-000000000000 not found\./);
  });
});
