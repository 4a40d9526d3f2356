import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { Client as LangGraphClient } from '@langchain/langgraph-sdk';
import { Client as LangSmithClient } from 'langsmith';
import { waitForRevision } from '../../../../src/client/wait-for-revision.ts';
import { findFreePort } from '../../../../src/server/control-plane/images/free-port.ts';
import {
  makeAgentImage,
  makeVariant,
  type TestContainers,
  type TestImage,
  testContainers,
} from '../../../support/containers.ts';
import { type ServerProcess, serverProcess } from '../../../support/control-plane/server-process.ts';
import { clientsOf } from '../../../support/control-plane/steady-clients.ts';
import { eventually } from '../../../support/wait.ts';

describe('a deployment from an image of an agent', function () {
  this.timeout(180_000);
  const id = randomUUID();
  const images: TestImage[] = [];
  let containers: TestContainers;
  let server: ServerProcess;
  let params: { deployment_id: string };
  let url: string;
  let sdk: LangGraphClient;

  before(async function () {
    containers = await testContainers(this);
    const old = await makeAgentImage(containers, `localhost/agent-harbor-test-${id}:old`, 'old');
    images.push(old);
    images.push(await makeVariant(containers, old, `localhost/agent-harbor-test-${id}:new`, 'GREETING=new'));
    server = await serverProcess({
      env: containers.environment,
      args: ['--sleep-after-seconds', '8'],
    });
    const created = await server.client.deployments.create({
      body: {
        name: 'contained',
        source: 'external_docker',
        source_config: { resource_spec: { memory_limit_mb: 1_024, cpu_limit: 2 } },
        source_revision_config: { image_uri: `localhost/agent-harbor-test-${id}:old` },
        secrets: [{ name: 'TOKEN', value: 'a secret\nof two lines' }],
      },
    });
    params = { deployment_id: created.id };
    await isDeployed(created.latest_revision_id);
    url = (await server.client.deployments.get({ params })).source_config.custom_url ?? '';
    sdk = new LangGraphClient({ apiUrl: url, apiKey: server.apiKey });
  });
  after(async () => {
    // Also deletes the volume of the deployment, unless a test has done so.
    if (params !== undefined) await server.client.deployments.delete({ params }).catch(() => {});
    await server?.stop();
    await server?.[Symbol.asyncDispose]();
    for (const image of images) await image[Symbol.asyncDispose]();
  });

  const isDeployed = async (revision: string | null | undefined) => {
    const { deployment_id } = params;
    const ended = await waitForRevision(server.client.revisions, {
      deployment_id,
      revision_id: revision ?? '',
    });
    assert.equal(ended.status, 'DEPLOYED');
    return ended;
  };
  const update = async (tag: string) =>
    server.client.deployments.update({
      params,
      body: { source_revision_config: { image_uri: `localhost/agent-harbor-test-${id}:${tag}` } },
    });
  /** The names of this deployment's containers. */
  const running = async () => {
    const filter = `label=dev.agent-harbor.deployment=${params.deployment_id}`;
    const listed = await containers.tool.ask(['ps', '--all', '--filter', filter, '--format', '{{.Names}}']);
    return listed.split('\n').filter((name) => name !== '');
  };

  it('has the digest of its image in its revision', async () => {
    const { latest_revision_id } = await server.client.deployments.get({ params });
    const revision = await server.client.revisions.get({
      params: { ...params, revision_id: latest_revision_id ?? '' },
    });
    assert.match(String(revision.source_revision_config?.image_digest), /^sha256:[0-9a-f]{64}$/);
  });

  it('is called with a key, and streams to the SDK', async () => {
    assert.equal((await fetch(`${url}/assistants/search`, { method: 'POST', body: '{}' })).status, 401);
    const wrong = await fetch(`${url}/threads/search`, {
      method: 'POST',
      headers: { 'x-api-key': 'lsv2_wrong' },
    });
    assert.equal(wrong.status, 401);
    const ticks: unknown[] = [];
    const stream = sdk.runs.stream(null, 'slow', { input: { ticks: 3 }, streamMode: ['custom', 'values'] });
    for await (const { event, data } of stream) if (event === 'custom') ticks.push(data);
    assert.deepEqual(
      ticks,
      [0, 1, 2].map((tick) => ({ tick, greeting: 'old' })),
    );
  });

  it('has its traces in its project if its containers can reach this server', async () => {
    await sdk.runs.wait(null, 'slow', { input: { ticks: 0 } });
    const tracing = new LangSmithClient({ apiUrl: server.baseUrl, apiKey: server.apiKey });
    const trace = await eventually(
      'a trace',
      async () => {
        for await (const run of tracing.listRuns({ projectName: 'contained', isRoot: true })) return run;
        return undefined;
      },
      ({ outputs }) => outputs?.greeting !== undefined,
      30_000,
    );
    assert.deepEqual([trace.name, trace.outputs?.greeting], ['slow', 'old']);
  });

  it('keeps its threads, and loses no request, when it is rolled out and back', async () => {
    const thread = await sdk.threads.create({ metadata: { kept: true } });
    await using clients = clientsOf(sdk, 3);
    await isDeployed((await update('new')).latest_revision_id);
    const [latest, before] = (await server.client.revisions.list({ params })).resources;
    await eventually(
      'the new image answers',
      async () => (await sdk.runs.wait(null, 'slow', { input: { ticks: 0 } })) as { greeting?: string },
      ({ greeting }) => greeting === 'new',
      30_000,
    );
    const again = await server.client.revisions.redeploy({
      params: { ...params, revision_id: before?.id ?? '' },
    });
    await isDeployed(again.latest_revision_id);
    const { failures, answers } = await clients.stop();
    assert.deepEqual(failures, []);
    assert.deepEqual([...new Set(answers)].sort(), ['new', 'old']);
    assert.notEqual(
      latest?.source_revision_config?.image_digest,
      before?.source_revision_config?.image_digest,
    );
    assert.equal((await sdk.threads.get(thread.thread_id)).metadata?.kept, true);
    assert.deepEqual(await sdk.runs.wait(null, 'slow', { input: { ticks: 0 } }), {
      ticks: 0,
      greeting: 'old',
    });
    await eventually('only one container is left', running, (names) => names.length === 1);
  });

  it('is started again when its container is killed', async () => {
    await sdk.runs.wait(null, 'slow', { input: { ticks: 0 } });
    const [name = ''] = await running();
    await containers.tool.ask(['kill', name]);
    await eventually('another one runs', running, (names) => names.length === 1 && names[0] !== name, 30_000);
    assert.deepEqual(await sdk.runs.wait(null, 'slow', { input: { ticks: 0 } }), {
      ticks: 0,
      greeting: 'old',
    });
  });

  it('ends with a server that is killed, and comes back with the next', async () => {
    const thread = await sdk.threads.create({ metadata: { kept: 'again' } });
    const before = await running();
    await server.kill();
    await server.start();
    const now = await eventually(
      'another container runs',
      running,
      (names) => names.length === 1 && names[0] !== before[0],
      30_000,
    );
    assert.notDeepEqual(now, before);
    // Another program may have taken the port meanwhile.
    url = (await server.client.deployments.get({ params })).source_config.custom_url ?? '';
    sdk = new LangGraphClient({ apiUrl: url, apiKey: server.apiKey });
    assert.equal((await sdk.threads.get(thread.thread_id)).metadata?.kept, 'again');
  });

  it('sleeps when it is not used, and wakes with its threads', async () => {
    const thread = await sdk.threads.create({ metadata: { kept: 'asleep' } });
    await eventually('its container has gone', running, (names) => names.length === 0, 60_000);
    assert.equal((await fetch(`${url}/ok`)).status, 200);
    assert.deepEqual(await running(), []);
    assert.equal((await sdk.threads.get(thread.thread_id)).metadata?.kept, 'asleep');
    assert.equal((await running()).length, 1);
  });

  it('shuts down by itself when it is told to as soon as it answers', async () => {
    const { tool } = containers;
    const port = await findFreePort();
    const variables = ['--env', `PORT=${port}`, '--env', 'AGENT_HARBOR_API_KEY=a-key-of-sixteen-and-more'];
    const args = tool.command('run', '--detach', ...variables, ...tool.runOptions, images[0]?.name ?? '');
    const { stdout } = await promisify(execFile)(tool.program, args);
    const name = stdout.trim();
    try {
      await eventually(
        'it answers',
        async () => (await fetch(`http://127.0.0.1:${port}/ok`)).ok,
        Boolean,
        30_000,
      );
      await tool.ask(['stop', '-t', '10', name]);
      const code = await tool.ask(['container', 'inspect', '--format', '{{.State.ExitCode}}', name]);
      // 137 means that it was killed after ten seconds.
      assert.notEqual(code.trim(), '137');
    } finally {
      await tool.ask(['rm', '--force', '--volumes', name]);
    }
  });

  it('leaves no container and no volume when it is deleted', async () => {
    const volumes = () =>
      containers.tool.ask([
        'volume',
        'ls',
        '--quiet',
        '--filter',
        `name=agent-harbor-${params.deployment_id}`,
      ]);
    assert.notEqual((await volumes()).trim(), '');
    await server.client.deployments.delete({ params });
    assert.deepEqual(await running(), []);
    assert.equal((await volumes()).trim(), '');
  });
});
