import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client as LangGraphClient } from '@langchain/langgraph-sdk';
import { waitForRevision } from '../../../src/client/wait-for-revision.ts';
import { LINK_PACKAGES, linkedProject } from '../../support/control-plane/example-files.ts';
import { type GitRepository, gitRepository } from '../../support/control-plane/git-repository.ts';
import { type ServerProcess, serverProcess } from '../../support/control-plane/server-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { eventually, patience } from '../../support/wait.ts';

/** Long enough for short work on a busy machine. */
const SLEEP_AFTER_SECONDS = Math.ceil(patience);
/** Ticks of a tenth of a second: a stream stays open for longer than the time until sleep. */
const TICKS = 40 * SLEEP_AFTER_SECONDS;

/** The process of the graphs, and a shell that ends the processes that they start. */
const PROCESSES = process.platform === 'win32' ? 1 : 2;

describe('an unused deployment', function () {
  this.timeout(60_000);
  let server: ServerProcess;
  let repository: GitRepository;
  let sdk: LangGraphClient;
  let url: string;

  before(async () => {
    server = await serverProcess({ args: ['--sleep-after-seconds', String(SLEEP_AFTER_SECONDS)] });
    repository = await gitRepository();
    await repository.push(await linkedProject('awake'));
    const created = await server.client.deployments.create({
      body: {
        name: 'sleepy',
        source: 'github',
        source_config: { repo_url: repository.url, install_command: LINK_PACKAGES },
        source_revision_config: { repo_ref: 'main' },
      },
    });
    const params = { deployment_id: created.id, revision_id: created.latest_revision_id ?? '' };
    await waitForRevision(server.client.revisions, params);
    url = (await server.client.deployments.get({ params })).source_config.custom_url ?? '';
    sdk = new LangGraphClient({ apiUrl: url, apiKey: server.apiKey });
  });
  after(async () => {
    await repository?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  const asleep = () => eventually('its process has gone', () => server.children().length === 0);
  const run = () => sdk.runs.wait(null, 'slow', { input: { ticks: 1 } });

  it('stops its process, and still answers from storage', async () => {
    await asleep();
    assert.equal((await fetch(`${url}/ok`)).status, 200);
    const [assistant] = await sdk.assistants.search();
    assert.equal(assistant?.graph_id, 'slow');
    const thread = await sdk.threads.create();
    assert.equal((await sdk.threads.get(thread.thread_id)).status, 'idle');
    assert.deepEqual(server.children(), []);
  });

  it('is started once by the first of many requests', async () => {
    await asleep();
    const answers = await Promise.all(Array.from({ length: 4 }, run));
    for (const values of answers) assert.deepEqual(values, { ticks: 1, greeting: 'awake' });
    assert.equal(server.children().length, PROCESSES);
  });

  it('stays awake while a stream is open, and sleeps afterwards', async () => {
    await run();
    const before = server.children();
    const thread = await sdk.threads.create();
    let ticks = 0;
    const input = { ticks: TICKS };
    for await (const { event } of sdk.runs.stream(thread.thread_id, 'slow', {
      input,
      streamMode: 'custom',
    })) {
      if (event === 'custom') ticks++;
      if (event === 'custom' && ticks > TICKS - 10) assert.deepEqual(server.children(), before);
    }
    assert.equal(ticks, TICKS);
    await asleep();
  });

  it('sleeps after a restart of the server, until it is used', async () => {
    await server.stop();
    await server.start();
    sdk = new LangGraphClient({ apiUrl: url, apiKey: server.apiKey });
    assert.deepEqual(server.children(), []);
    assert.deepEqual(await run(), { ticks: 1, greeting: 'awake' });
  });

  it('answers its first request on a server that was started for a folder that is still loading', async () => {
    await using folder = await temporaryFolder();
    const configPath = path.join(folder.path, 'langgraph.json');
    await writeFile(
      path.join(folder.path, 'slow.mjs'),
      'await new Promise((done) => setTimeout(done, 60_000));',
    );
    await writeFile(configPath, JSON.stringify({ graphs: { slow: './slow.mjs:graph' } }));
    await server.stop();
    await server.start(['--folder', JSON.stringify({ config_path: configPath, port: 0 })]);
    const { resources } = await server.client.deployments.list({});
    const built = resources.find(({ name }) => name === 'sleepy');
    assert.equal(built?.source_config.custom_url, url);
    assert.deepEqual(await run(), { ticks: 1, greeting: 'awake' });
  });
});
