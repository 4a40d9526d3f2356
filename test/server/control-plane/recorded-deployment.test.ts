import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Client as LangGraphClient } from '@langchain/langgraph-sdk';
import { waitForRevision } from '../../../src/client/wait-for-revision.ts';
import { portOf } from '../../../src/server/http/port-of.ts';
import { cli } from '../../support/cli.ts';
import { LINK_PACKAGES, npmLinkedProject } from '../../support/control-plane/example-files.ts';
import { type GitRepository, gitRepository } from '../../support/control-plane/git-repository.ts';
import { type ServerProcess, serverProcess } from '../../support/control-plane/server-process.ts';

const ASKING_GRAPH = `
import { Annotation, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ url: Annotation, answer: Annotation });
const ask = async ({ url }) => ({ answer: await (await fetch(url)).text() });

export const graph = new StateGraph(State).addNode('ask', ask).addEdge('__start__', 'ask').compile();
`;

describe('a deployment that records', function () {
  this.timeout(120_000);
  let origin: Server;
  let server: ServerProcess;
  let repository: GitRepository;

  before(async () => {
    let asked = 0;
    origin = createServer((_, response) => response.end(`answer ${++asked}`)).listen(0, '127.0.0.1');
    await once(origin, 'listening');
    server = await serverProcess();
    repository = await gitRepository();
    await repository.push({
      ...(await npmLinkedProject('unused')),
      'langgraph.json': JSON.stringify({ graphs: { asks: './asks.mjs:graph' } }),
      'asks.mjs': ASKING_GRAPH,
    });
  });
  after(async () => {
    origin?.close();
    await repository?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  /** Runs the graph. @returns the recorded URLs */
  async function recordedOf(deployment_id: string, request: object): Promise<string[]> {
    const { source_config } = await server.client.deployments.get({ params: { deployment_id } });
    const apiUrl = source_config.custom_url ?? '';
    const sdk = new LangGraphClient({ apiUrl, apiKey: server.apiKey });
    const { thread_id } = await sdk.threads.create();
    const response = await fetch(`${apiUrl}/threads/${thread_id}/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': server.apiKey },
      body: JSON.stringify({
        assistant_id: 'asks',
        input: { url: `http://127.0.0.1:${portOf(origin)}/` },
        ...request,
      }),
    });
    const { run_id } = (await response.json()) as { run_id: string };
    await sdk.runs.join(thread_id, run_id);
    assert.equal((await sdk.runs.get(thread_id, run_id)).status, 'success');
    const page = await fetch(`${apiUrl}/harbor/threads/${thread_id}/recordings/${run_id}`, {
      headers: { 'x-api-key': server.apiKey },
    });
    const { exchanges } = (await page.json()) as { exchanges: { request: { url: string } }[] };
    return exchanges.map(({ request }) => new URL(request.url).pathname);
  }

  async function live(deployment_id: string, revision_id: string | null | undefined): Promise<void> {
    const { status } = await waitForRevision(server.client.revisions, {
      deployment_id,
      revision_id: revision_id ?? '',
    });
    assert.equal(status, 'DEPLOYED');
  }

  it('records the runs that do not say otherwise, from the revision that begins it to the one that ends it', async () => {
    const { deployments } = server.client;
    const created = await deployments.create({
      body: {
        name: 'records',
        source: 'github',
        source_config: { repo_url: repository.url, install_command: LINK_PACKAGES },
        source_revision_config: { repo_ref: 'main' },
      },
    });
    await live(created.id, created.latest_revision_id);
    assert.deepEqual(await recordedOf(created.id, {}), []);

    const params = { deployment_id: created.id };
    const changed = await deployments.update({ params, body: { source_config: { record: true } } });
    assert.equal(changed.source_config.record, true);
    await live(created.id, changed.latest_revision_id);
    assert.deepEqual(await recordedOf(created.id, {}), ['/']);
    assert.deepEqual(await recordedOf(created.id, { record: null }), ['/']);
    assert.deepEqual(await recordedOf(created.id, { record: false }), []);

    const back = await deployments.update({ params, body: { source_config: { record: false } } });
    await live(created.id, back.latest_revision_id);
    assert.deepEqual(await recordedOf(created.id, {}), []);
    assert.deepEqual(await recordedOf(created.id, { record: true }), ['/']);
  });

  it('serves the build that is live, although the branch has new commits, and builds those when asked', async () => {
    const { deployments, revisions } = server.client;
    const created = await deployments.create({
      body: {
        name: 'keeps',
        source: 'github',
        source_config: { repo_url: repository.url, install_command: LINK_PACKAGES },
        source_revision_config: { repo_ref: 'main' },
      },
    });
    await live(created.id, created.latest_revision_id);
    const params = { deployment_id: created.id };
    const revisionOf = async (revision_id: string | null | undefined) => {
      await live(created.id, revision_id);
      return revisions.get({ params: { ...params, revision_id: revision_id ?? '' } });
    };
    const commitOf = async (revision_id: string | null | undefined) =>
      (await revisionOf(revision_id)).source_revision_config?.repo_commit_sha;
    const built = await commitOf(created.latest_revision_id);
    const pushed = await repository.push({ 'README.md': 'Not deployed yet.' });
    assert.notEqual(pushed, built);

    const recording = await deployments.update({ params, body: { source_config: { record: true } } });
    assert.notEqual(recording.latest_revision_id, created.latest_revision_id);
    assert.equal(await commitOf(recording.latest_revision_id), built);
    assert.deepEqual(await recordedOf(created.id, {}), ['/']);

    const latest = await deployments.update({
      params,
      body: { source_config: { record: false }, source_revision_config: { repo_ref: 'main' } },
    });
    assert.equal(await commitOf(latest.latest_revision_id), pushed);
    assert.deepEqual(await recordedOf(created.id, {}), []);
  });

  it('starts recording with deploy --record, continues after a restart of the server, and stops with --no-record', async () => {
    const deploy = (...options: string[]) =>
      cli(
        [
          ...['deploy', '--repo', repository.url, '--name', 'told', '--wait', '--json'],
          ...['--data-dir', server.dataDir, ...options],
        ],
        { cwd: repository.workDir },
      );
    const idOf = ({ code, stdout, stderr }: Awaited<ReturnType<typeof deploy>>) => {
      assert.equal(code, 0, stderr);
      return (JSON.parse(stdout) as { deployment_id: string }).deployment_id;
    };
    const id = idOf(await deploy('--record'));
    assert.deepEqual(await recordedOf(id, {}), ['/']);
    await server.kill();
    await server.start();
    assert.deepEqual(await recordedOf(id, {}), ['/']);
    assert.equal(idOf(await deploy()), id);
    assert.deepEqual(await recordedOf(id, {}), ['/']);
    idOf(await deploy('--no-record'));
    assert.deepEqual(await recordedOf(id, {}), []);
  });
});
