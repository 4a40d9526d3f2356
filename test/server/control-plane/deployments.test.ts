import assert from 'node:assert/strict';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { waitForRevision } from '../../../src/client/wait-for-revision.ts';
import { smallProject } from '../../support/control-plane/example-files.ts';
import { type GitRepository, gitRepository } from '../../support/control-plane/git-repository.ts';
import { type ServerProcess, serverProcess } from '../../support/control-plane/server-process.ts';
import { eventually } from '../../support/wait.ts';

describe('deployments over HTTP', function () {
  this.timeout(120_000);
  let server: ServerProcess;
  let repository: GitRepository;

  beforeEach(async () => {
    server = await serverProcess();
    repository = await gitRepository();
    await repository.push({ 'README.md': 'No agent is here.' });
  });
  afterEach(async () => {
    await repository?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  const create = (body: object) =>
    server.fetch('/v2/deployments', {
      method: 'POST',
      body: {
        source: 'github',
        source_config: { repo_url: repository.url, deployment_type: 'dev' },
        source_revision_config: { repo_ref: 'main', platform_config_path: 'langgraph.json' },
        secrets: [],
        ...body,
      },
    });
  type Json = Record<string, never> & { id: string; latest_revision_id: string; [name: string]: unknown };
  const json = async (response: Response) => (await response.json()) as Json;

  it('are created with 201, an ID, and a first revision', async () => {
    const response = await create({ name: 'first' });
    assert.equal(response.status, 201);
    const deployment = await json(response);
    const revision = await server.fetch(
      `/v2/deployments/${deployment.id}/revisions/${deployment.latest_revision_id}`,
    );
    assert.equal(revision.status, 200);
    const again = await create({ name: 'first' });
    assert.equal(again.status, 400);
    assert.match(String((await json(again)).detail), /Deployment 'first' already exists/);
  });

  it('are created once when several with the same name are requested at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => create({ name: 'wanted-by-many' })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 400, 400, 400]);
    const named = await server.fetch('/v2/deployments?name=wanted-by-many');
    const { resources } = (await named.json()) as { resources: unknown[] };
    assert.equal(resources.length, 1);
  });

  it('are shown on the page linked by public command lines, which reveals nothing', async () => {
    const { id } = await json(await create({ name: 'secret-name' }));
    const page = (deployment: string) => fetch(`${server.baseUrl}/o/any/host/deployments/${deployment}`);
    const response = await page(id);
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
    const text = await response.text();
    assert.ok(text.includes(`agent-harbor revisions ${id}`));
    assert.doesNotMatch(text, /secret-name|<script/);
    const hostile = await (await page(encodeURIComponent('<img src=x>'))).text();
    assert.ok(hostile.includes('agent-harbor revisions &lt;id&gt;'));
    assert.ok(!hostile.includes('<img'));
  });

  it('accept one tarball per upload URL, also when two are sent at once', async () => {
    const { id } = await json(
      await create({
        name: 'twice',
        source: 'internal_source',
        source_config: {},
        source_revision_config: {},
      }),
    );
    const asked = await server.fetch(`/v2/deployments/${id}/upload-url`, { method: 'POST', body: {} });
    const { upload_url, object_path } = await json(asked);
    const put = (body: ReadableStream | string) =>
      fetch(String(upload_url), { method: 'PUT', body, ...(typeof body !== 'string' && { duplex: 'half' }) });
    const slow = new TransformStream<Uint8Array, Uint8Array>();
    const writer = slow.writable.getWriter();
    const first = put(slow.readable);
    await writer.write(Buffer.from('first, '));
    assert.ok((await put('second')).ok);
    await writer.write(Buffer.from('late'));
    await writer.close();
    const refused = await first;
    assert.equal(refused.status, 403);
    assert.match(String((await json(refused)).detail), /was already used/);
    const [name] = (await readdir(server.dataDir, { recursive: true })).filter((file) =>
      file.endsWith(path.basename(String(object_path))),
    );
    assert.ok(name);
    assert.equal(await readFile(path.join(server.dataDir, name), 'utf8'), 'second');
    assert.deepEqual(await readdir(path.dirname(path.join(server.dataDir, name))), [path.basename(name)]);
  });

  it('refuse an offset of a log that no response has given', async () => {
    const { id, latest_revision_id } = await json(await create({ name: 'logged' }));
    const route = `/v1/projects/${id}/revisions/${latest_revision_id}/build_logs`;
    for (const offset of ['abc', '1.5']) {
      const response = await server.fetch(route, { method: 'POST', body: { offset } });
      assert.equal(response.status, 422, offset);
      const { detail } = await json(response);
      assert.deepEqual(Object(detail)[0].loc, ['body', 'offset']);
    }
  });

  it('log that a given custom_url is ignored', async () => {
    const source_config = {
      repo_url: repository.url,
      deployment_type: 'dev',
      custom_url: 'https://agents.example',
    };
    const { id, latest_revision_id } = await json(await create({ name: 'elsewhere', source_config }));
    const logs = await server.fetch(`/v1/projects/${id}/revisions/${latest_revision_id}/build_logs`, {
      method: 'POST',
      body: {},
    });
    assert.equal(logs.status, 200);
    assert.match(await logs.text(), /custom_url \(https:\/\/agents\.example\) is ignored/);
  });

  it('have the files of revisions for keys that may deploy, even of those that failed', async () => {
    const { deployments, revisionFiles } = server.client.controlPlane;
    const hasFailed = ({ id, latest_revision_id }: { id: string; latest_revision_id: string | null }) =>
      assert.rejects(
        waitForRevision(server.client.controlPlane.revisions, {
          deployment_id: id,
          revision_id: String(latest_revision_id),
        }),
        /BUILD_FAILED: langgraph\.json not found/,
      );
    const filesOf = async (id: string, revision: string | null) => {
      const params = { deployment_id: id, revision_id: String(revision) };
      const { files, is_complete } = await revisionFiles.list({ params });
      assert.ok(is_complete);
      return Object.fromEntries(files.map(({ path: name, text, left_out }) => [name, text ?? left_out]));
    };
    const readme = path.join(repository.workDir, 'README.md');
    await writeFile(path.join(repository.workDir, '.env'), 'KEY=hush');
    const folder = await deployments.create({
      body: {
        name: 'folder',
        source: 'workspace',
        source_config: { workspace_dir: repository.workDir },
        source_revision_config: {},
      },
    });
    await hasFailed(folder);
    await writeFile(readme, 'Still none.');
    const changed = await deployments.update({
      params: { deployment_id: folder.id },
      body: { source_config: { workspace_dir: repository.workDir }, source_revision_config: {} },
    });
    await hasFailed(changed);
    await rm(readme);
    assert.deepEqual(await filesOf(folder.id, folder.latest_revision_id), {
      '.env': 'secret',
      'README.md': 'No agent is here.',
    });
    assert.deepEqual(await filesOf(folder.id, changed.latest_revision_id), {
      '.env': 'secret',
      'README.md': 'Still none.',
    });

    const pushed = await json(await create({ name: 'pushed' }));
    await hasFailed(pushed);
    assert.deepEqual(await filesOf(pushed.id, pushed.latest_revision_id), {
      'README.md': 'No agent is here.',
    });

    const uploaded = await deployments.create({ body: { name: 'uploaded', source: 'internal_source' } });
    const route = `/harbor/deployments/${uploaded.id}/revisions/${uploaded.latest_revision_id}/files`;
    const early = await server.fetch(route);
    assert.equal(early.status, 400);
    assert.match(await early.text(), /Its files are known once it is built/);
  });

  it('keep and return every field, the config path under both names, and no secret', async () => {
    const source_config = {
      integration_id: '01900000-0000-7000-8000-000000000001',
      repo_url: repository.url,
      deployment_type: 'prod',
      build_on_push: false,
      resource_spec: { cpu: 2, memory_mb: 2048, max_scale: 3, labels: { a: 'b' } },
      listener_id: '01900000-0000-7000-8000-000000000002',
      listener_config: { k8s_namespace: 'agents' },
      install_command: 'npm ci --omit=dev',
      build_command: 'npm run build',
    };
    const response = await create({
      name: 'every field',
      source_config: { ...source_config, custom_url: null },
      source_revision_config: {
        repo_ref: 'refs/tags/v1',
        langgraph_config_path: 'a/langgraph.json',
        image_uri: null,
      },
      secrets: [{ name: 'TOKEN', value: 'a secret value' }],
      secret_references: [{ name: 'OTHER', secret_name: 's', secret_key: 'k' }],
    });
    assert.equal(response.status, 201);
    const text = await response.text();
    assert.ok(!text.includes('a secret value'));
    const deployment = JSON.parse(text) as Json;
    assert.deepEqual(deployment.source_config, { ...source_config, custom_url: null });
    assert.deepEqual(deployment.source_revision_config, {
      repo_ref: 'refs/tags/v1',
      image_uri: null,
      source_tarball_path: null,
      repo_commit_sha: null,
      platform_config_path: 'a/langgraph.json',
      langgraph_config_path: 'a/langgraph.json',
    });
    assert.deepEqual(deployment.secrets, [{ name: 'TOKEN', value: '' }]);
    assert.deepEqual(deployment.secret_references, [{ name: 'OTHER', secret_name: 's', secret_key: 'k' }]);
  });

  it('report invalid requests in the words of the public interface', async () => {
    const cases: [object, number, RegExp][] = [
      [{}, 422, /"loc":\["body","name"\]/],
      [{ name: 'x', source: 'svn' }, 422, /"loc":\["body","source"\]/],
      [
        { name: 'x', source: 'external_docker' },
        422,
        /"loc":\["body","source_revision_config","image_uri"\]/,
      ],
      [
        {
          name: 'x',
          source: 'external_docker',
          source_revision_config: { image_uri: '--privileged' },
        },
        422,
        /image_uri.*Must be the name of an image/,
      ],
      ...['container', 'process'].map((isolation): [object, number, RegExp] => [
        {
          name: 'x',
          source: 'external_docker',
          source_config: { isolation },
          source_revision_config: { image_uri: 'agent:1.0' },
        },
        422,
        /"loc":\["body","source_config","isolation"\],"msg":"An image always runs in a separate container/,
      ]),
      ...[true, false].map((record): [object, number, RegExp] => [
        {
          name: 'x',
          source: 'external_docker',
          source_config: { record },
          source_revision_config: { image_uri: 'agent:1.0' },
        },
        422,
        /"loc":\["body","source_config","record"\],"msg":"An image has its own server/,
      ]),
      [
        {
          name: 'x',
          source: 'external_docker',
          source_config: { drain_minutes: 30 },
          source_revision_config: { image_uri: 'agent:1.0' },
        },
        422,
        /"loc":\["body","source_config","drain_minutes"\],"msg":"Runs of an image end in its container/,
      ],
      ...[-1, 1.5, 10_081].map((drain_minutes): [object, number, RegExp] => [
        { name: 'x', source_config: { drain_minutes } },
        422,
        /"loc":\["body","source_config","drain_minutes"\]/,
      ]),
      [{ name: 'x', source_config: { record: 'yes' } }, 422, /"loc":\["body","source_config","record"\]/],
      [{ name: 'x', source: 'internal_docker' }, 400, /has no registry/],
      [
        { name: 'x', source_revision_config: { image_uri: 'docker.io/x' } },
        422,
        /image_uri.*Only the source external_docker/,
      ],
      [{ name: 'x', source_config: {} }, 422, /repo_url/],
      [{ name: 'x', source_config: { repo_url: 'ext::sh -c id' } }, 422, /repo_url/],
      [{ name: 'x', source_config: { repo_url: '--upload-pack=id' } }, 422, /repo_url/],
      [
        { name: 'x', source_config: { repo_url: 'https://user:pass@example.com/r.git' } },
        422,
        /credential helper/,
      ],
      [{ name: 'x', source_config: { repo_url: 'http://example.com/r.git' } }, 422, /https/],
      [{ name: 'x', source_revision_config: { repo_ref: '--output=x' } }, 422, /repo_ref/],
      [
        { name: 'x', source_revision_config: { platform_config_path: '../langgraph.json' } },
        422,
        /platform_config_path/,
      ],
      [
        { name: 'x', source_revision_config: { langgraph_config_path: '/etc/passwd' } },
        422,
        /langgraph_config_path/,
      ],
      [
        { name: 'x', source_config: { repo_url: 'file:///x', install_command: 'npm ci && id' } },
        422,
        /install_command.*shell/,
      ],
      [
        { name: 'x', source_config: { repo_url: 'file:///x', resource_spec: { cpu: 99 } } },
        422,
        /resource_spec/,
      ],
      [{ name: 'x', secrets: [{ name: 'LANGSMITH_API_KEY', value: 'x' }] }, 422, /reserved/],
      [{ name: 'x', secrets: [{ name: 'NODE_OPTIONS', value: 'x' }] }, 422, /reserved/],
      [
        {
          name: 'x',
          secrets: [
            { name: 'A', value: '1' },
            { name: 'A', value: '2' },
          ],
        },
        422,
        /a secret twice/,
      ],
      [{ name: 'x', source: 'workspace', source_config: { workspace_dir: 'here' } }, 422, /absolute/],
      [
        {
          name: 'x',
          source_config: { repo_url: 'file:///x', build_on_push: true },
          source_revision_config: { repo_ref: 'refs/tags/v1' },
        },
        400,
        /tag/,
      ],
    ];
    for (const [body, status, message] of cases) {
      const response = await create(body);
      const text = await response.text();
      assert.equal(response.status, status, `${JSON.stringify(body)}: ${text}`);
      assert.match(text, message);
    }
    assert.equal((await server.fetch('/v2/deployments/01900000-0000-7000-8000-000000000000')).status, 404);
    assert.equal((await server.fetch('/v2/deployments/nonsense')).status, 422);
  });

  it('are listed newest first, by pages and filters, at the root and under /api-host', async () => {
    for (const name of ['list-a', 'list-b', 'list-c']) assert.equal((await create({ name })).status, 201);
    const names = async (query: string) => {
      const response = await server.fetch(`/api-host/v2/deployments?${query}`);
      assert.equal(response.status, 200);
      const { resources } = (await response.json()) as { resources: { name: string }[] };
      return resources.map(({ name }) => name);
    };
    assert.deepEqual(await names('name_contains=LIST-'), ['list-c', 'list-b', 'list-a']);
    assert.deepEqual(await names('name_contains=list-&limit=1&offset=1'), ['list-b']);
    assert.deepEqual(await names('name=list-b'), ['list-b']);
    assert.deepEqual(await names('name_contains=list-&status=READY'), []);
    assert.deepEqual(await names('name_contains=list-&deployment_type=prod'), []);
    assert.deepEqual(await names('name_contains=list-&image_version=1'), []);
    assert.equal((await server.fetch('/v2/deployments?limit=101')).status, 422);
    assert.equal((await server.fetch('/v2/deployments?status=')).status, 200);
  });

  it('are updated by PATCH: null changes nothing, some fields cannot change, some create a revision', async () => {
    const { id, latest_revision_id: first } = await json(await create({ name: 'patched' }));
    const patch = async (body: object) => {
      const response = await server.fetch(`/v2/deployments/${id}`, { method: 'PATCH', body });
      return { status: response.status, body: await json(response) };
    };
    for (const body of [
      {},
      { source_config: null, source_revision_config: null, secrets: null },
      { source_config: { build_on_push: false, repo_url: null } },
    ]) {
      const { status, body: same } = await patch(body);
      assert.deepEqual([status, same.latest_revision_id], [200, first]);
    }
    let before = first;
    for (const body of [
      { source_revision_config: {} },
      { source_revision_config: { repo_ref: 'main' } },
      { secrets: [{ name: 'A', value: 'value of a' }] },
      {
        secrets: [
          { name: 'A', value: '' },
          { name: 'B', value: 'b' },
        ],
      },
      { secrets: [] },
      { source_config: { resource_spec: { cpu: 1 } } },
      { source_config: { build_command: 'npm run build' } },
      { source_config: { record: true } },
    ]) {
      const { status, body: changed } = await patch(body);
      assert.equal(status, 200);
      assert.notEqual(changed.latest_revision_id, before, JSON.stringify(body));
      before = changed.latest_revision_id;
    }
    for (const body of [
      { source_config: { repo_url: 'https://example.com/other.git' } },
      { source_config: { deployment_type: 'prod' } },
      { revision_source: 'internal_source' },
      { source_revision_config: { source_tarball_path: 'uploads/x.tar.gz' } },
    ]) {
      assert.equal((await patch(body)).status, 400, JSON.stringify(body));
    }
    const listed = await server.fetch(`/v2/deployments/${id}/revisions?limit=3`);
    const { resources } = (await listed.json()) as { resources: { id: string; created_at: string }[] };
    assert.equal(resources.length, 3);
    assert.equal(resources[0]?.id, before);
    assert.deepEqual(
      resources.map(({ created_at }) => created_at),
      resources
        .map(({ created_at }) => created_at)
        .sort()
        .reverse(),
    );
  });

  it('report why a revision failed, which cannot be interrupted or redeployed', async () => {
    const { id, latest_revision_id } = await json(await create({ name: 'no config' }));
    const failed = await eventually(
      'it has failed',
      async () => json(await server.fetch(`/v2/deployments/${id}/revisions/${latest_revision_id}`)),
      ({ status }) => String(status).includes('FAILED'),
    );
    assert.equal(failed.status, 'BUILD_FAILED');
    assert.match(String(failed.status_message), /langgraph\.json not found/);
    const redeployed = await server.fetch(`/v2/deployments/${id}/revisions/${latest_revision_id}/redeploy`, {
      method: 'POST',
    });
    assert.equal(redeployed.status, 400);
    const interrupted = await server.fetch(`/v1/projects/${id}/revisions/${latest_revision_id}/interrupt`, {
      method: 'POST',
    });
    assert.equal(interrupted.status, 400);
  });

  it('cannot be interrupted from the moment that they are seen to have failed', async () => {
    for (const name of ['fails-1', 'fails-2', 'fails-3']) {
      const { id, latest_revision_id: revision } = await json(await create({ name }));
      // Without a pause, because the remaining work after a failure takes milliseconds.
      const read = async () => json(await server.fetch(`/v2/deployments/${id}/revisions/${revision}`));
      let seen = await read();
      while (String(seen.status) !== 'BUILD_FAILED') seen = await read();
      const interrupted = await server.fetch(`/v1/projects/${id}/revisions/${revision}/interrupt`, {
        method: 'POST',
      });
      assert.equal(interrupted.status, 400);
    }
  });

  it('skip older waiting revisions, and can be interrupted while building, with all processes', async () => {
    const files = await smallProject('never');
    await repository.push({
      ...files,
      'package.json': JSON.stringify({
        ...JSON.parse(files['package.json'] ?? '{}'),
        scripts: { preinstall: 'node -e "setTimeout(() => {}, 600000)"' },
      }),
    });
    const { id, latest_revision_id: first } = await json(await create({ name: 'interrupted' }));
    const statusOf = async (revision: string) =>
      String((await json(await server.fetch(`/v2/deployments/${id}/revisions/${revision}`))).status);
    const interrupt = async (revision: string) =>
      json(await server.fetch(`/v1/projects/${id}/revisions/${revision}/interrupt`, { method: 'POST' }));
    await eventually(
      'the installation runs',
      async () => ({ status: await statusOf(first), processes: server.children().length }),
      ({ status, processes }) => status === 'BUILDING' && processes > 2,
      60_000,
    );

    const made: string[] = [];
    for (let count = 0; count < 3; count++) {
      const response = await server.fetch(`/v2/deployments/${id}`, {
        method: 'PATCH',
        body: { source_revision_config: {} },
      });
      made.push((await json(response)).latest_revision_id);
    }
    await eventually(
      'only the newest waits',
      async () => (await Promise.all(made.map(statusOf))).join(),
      (statuses) => statuses === 'SKIPPED,SKIPPED,QUEUED',
    );

    for (const revision of [made.at(-1) ?? '', first]) {
      assert.equal((await interrupt(revision)).status, 'INTERRUPTED');
    }
    await eventually('nothing runs', () => server.children().length === 0);
    const builds = await readdir(path.join(server.dataDir, 'deployments', id, 'builds'));
    assert.deepEqual(builds, []);
  });

  it('are deleted with 204, several at once with 200, 207 or 404', async () => {
    const ids: string[] = [];
    for (const name of ['gone-1', 'gone-2', 'gone-3']) ids.push((await json(await create({ name }))).id);
    const remove = (query: string) => server.fetch(`/v2/deployments${query}`, { method: 'DELETE' });
    const one = await remove(`/${ids[0]}`);
    assert.deepEqual([one.status, await one.text()], [204, '']);
    assert.equal((await remove(`/${ids[0]}`)).status, 404);
    assert.equal((await remove(`?deployment_ids=${ids[0]}&deployment_ids=${ids[1]}`)).status, 207);
    assert.equal((await remove(`?deployment_ids=${ids[2]}`)).status, 200);
    assert.equal((await remove(`?deployment_ids=${ids[2]}`)).status, 404);
    assert.equal((await remove('')).status, 422);
  });

  it('require a key, and belong to one workspace', async () => {
    assert.equal((await fetch(`${server.baseUrl}/v2/deployments`)).status, 401);
    const onlyTenant = await fetch(`${server.baseUrl}/v2/deployments`, {
      headers: { 'x-tenant-id': '01900000-0000-7000-8000-000000000000' },
    });
    assert.equal(onlyTenant.status, 401);
    const { access_token } = await server.client.controlPlane.bearerTokens.create({
      body: { expires_in_seconds: 60 },
    });
    const bearer = { authorization: `Bearer ${access_token}` };
    assert.equal((await fetch(`${server.baseUrl}/v2/deployments`, { headers: bearer })).status, 200);
    const exchange = await fetch(`${server.baseUrl}/harbor/tokens`, {
      method: 'POST',
      headers: { ...bearer, 'content-type': 'application/json' },
      body: '{}',
    });
    assert.equal(exchange.status, 403);
  });

  it('keep their secrets encrypted, with a key that only its owner can read', async () => {
    const value = 'this must not stand anywhere';
    assert.equal((await create({ name: 'secretive', secrets: [{ name: 'S', value }] })).status, 201);
    await server.stop();
    const db = new DatabaseSync(path.join(server.dataDir, 'state.db'));
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    db.close();
    const files = await readdir(server.dataDir, { recursive: true, withFileTypes: true });
    for (const file of files.filter((entry) => entry.isFile())) {
      const content = await readFile(path.join(file.parentPath, file.name), 'latin1');
      assert.ok(!content.includes(value), file.name);
    }
    assert.ok(!(await server.log()).includes(value));
    await server.start();
  });
});
