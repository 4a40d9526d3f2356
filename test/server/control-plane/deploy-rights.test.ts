import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { RIGHTS } from '../../../src/contract/endpoint.ts';
import { type ServerProcess, serverProcess } from '../../support/control-plane/server-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { eventually } from '../../support/wait.ts';

describe('a deployment with a key', function () {
  this.timeout(60_000);
  let server: ServerProcess;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  before(async () => {
    server = await serverProcess();
    folder = await temporaryFolder();
    await writeFile(path.join(folder.path, 'package.json'), '{"name":"agent"}');
    await writeFile(path.join(folder.path, 'langgraph.json'), '{"graphs":{"agent":"./agent.mjs:graph"}}');
  });
  after(async () => {
    await server?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  const keyWith = async (rights: readonly (typeof RIGHTS)[number][]) =>
    (await server.client.identity.createKey({ body: { rights: [...rights] } })).key;
  const create = async (key: string, source: string, source_config: object) => {
    const response = await fetch(`${server.baseUrl}/v2/deployments`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({
        name: crypto.randomUUID(),
        source,
        source_config,
        source_revision_config: {},
        secrets: [],
      }),
    });
    return [response.status, (await response.json()) as { id: string; detail?: unknown }] as const;
  };

  it('cannot be from the disk of the server, except with the key of the owner', async () => {
    const key = await keyWith(RIGHTS);
    const onDisk = [
      ['workspace', { workspace_dir: folder.path }],
      ['github', { repo_url: pathToFileURL(folder.path).href }],
    ] as const;
    for (const [source, config] of onDisk) {
      const [status, { detail }] = await create(key, source, config);
      assert.equal(status, 403);
      assert.match(String(detail), /can only be deployed with the owner's key/);
      assert.equal((await create(server.apiKey, source, config))[0], 201);
    }
    assert.equal((await create(key, 'internal_source', { build_command: 'node --version' }))[0], 201);
  });

  it('is refused without the right', async () => {
    const key = await keyWith(RIGHTS.filter((right) => right !== 'deploy'));
    const [status, { detail }] = await create(key, 'internal_source', {});
    assert.equal(status, 403);
    assert.match(String(detail), /requires the right 'deploy'/);
  });

  it('prints no key of the machine', async () => {
    // In a string of a program in an argument.
    const file = path.join(server.dataDir, 'credentials.json').replaceAll('\\', '/');
    const [status, { id }] = await create(server.apiKey, 'workspace', {
      workspace_dir: folder.path,
      install_command: `node -e "console.log('READ ' + require('fs').readFileSync('${file}', 'utf8'))"`,
    });
    assert.equal(status, 201);
    const deployment = await server.client.deployments.get({ params: { deployment_id: id } });
    const params = { deployment_id: id, revision_id: deployment.latest_revision_id ?? '' };
    const line = await eventually(
      'what the command prints',
      async () => {
        const { logs } = await server.client.deploymentLogs.build({ params, body: {} });
        return logs.find(({ message }) => /^ *"api_key"/.test(message));
      },
      (found) => found !== undefined,
    );
    assert.match(line?.message ?? '', /"api_key": ?"\*\*\*"/);
    assert.doesNotMatch(line?.message ?? '', /ah_/);
  });
});
