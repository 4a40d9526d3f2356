import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import { z } from 'zod';
import { waitForRevision } from '../../src/client/wait-for-revision.ts';
import { baseImage } from '../support/base-image.ts';
import { projectRoot } from '../support/cache.ts';
import { cli, startCli } from '../support/cli.ts';
import { type TestContainers, testContainers } from '../support/containers.ts';
import { type ServerProcess, serverProcess } from '../support/control-plane/server-process.ts';
import { steadyClients } from '../support/control-plane/steady-clients.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { installUiBundler } from '../support/ui-bundler.ts';
import { unusedPort } from '../support/unused-port.ts';

/** How long a container may take to answer its first request. */
const START_MS = 300_000;
const KEY = 'a-key-of-sixteen-and-more';
const SECRET = 'secret-of-the-env-file-4711';
const QUESTION = { messages: [{ role: 'user', content: 'How do I ask it something?' }] };

function newTag(): string {
  return `agent-harbor-test-${randomUUID()}:1`;
}

/** A step of Podman's log, and whether its layer was there already. */
function stepsIn(log: string): { text: string; isReused: boolean }[] {
  return [...log.matchAll(/^(?:\[\d+\/\d+\] )?STEP \d+\/\d+: (.*)\n(--> Using cache)?/gm)].map(
    ([, text = '', reused]) => ({ text, isReused: reused !== undefined }),
  );
}

/** Asserts that a build after a change of the sources reuses every layer before them. */
function assertPackagesAreReused(log: string, packages: string): void {
  // The first step is FROM, which makes nothing.
  const steps = stepsIn(log).slice(1);
  const sources = steps.findIndex(({ text }) => text.startsWith('COPY --chown'));
  assert.ok(
    steps.slice(0, sources).some(({ text }) => text.includes(packages)),
    log,
  );
  assert.deepEqual(
    steps.slice(0, sources + 1).filter(({ isReused }) => !isReused),
    [steps[sources]],
  );
}

async function change(source: string): Promise<void> {
  await writeFile(source, `${await readFile(source, 'utf8')}\n`);
}

describe('an image made by agent-harbor build', function () {
  this.timeout(600_000);
  let containers: TestContainers;
  let environment: Readonly<Record<string, string>>;
  let server: ServerProcess | undefined;

  before(async function () {
    containers = await testContainers(this);
    environment = { ...containers.environment, AGENT_HARBOR_BASE_IMAGE: await baseImage(this, containers) };
  });

  after(() => server?.[Symbol.asyncDispose]());

  /** Deploys an image over the public interface, until the scope ends. */
  async function deploy(name: string, image: string) {
    server ??= await serverProcess({ env: containers.environment });
    const { client, apiKey } = server;
    const created = await client.deployments.create({
      body: {
        name,
        source: 'external_docker',
        source_config: {},
        source_revision_config: { image_uri: image },
        secrets: [],
      },
    });
    const params = { deployment_id: created.id };
    const isDeployed = async (revision_id: string | null | undefined) => {
      const revision = await waitForRevision(client.revisions, { ...params, revision_id: revision_id ?? '' });
      assert.equal(revision.status, 'DEPLOYED');
      return revision;
    };
    await isDeployed(created.latest_revision_id);
    const { source_config } = await client.deployments.get({ params });
    return {
      client: new Client({
        apiUrl: source_config.custom_url ?? '',
        apiKey,
        callerOptions: { maxRetries: 0 },
      }),
      /** Deploys another image, and then the first one again. @returns their digests. */
      rollOutAndBack: async (other: string) => {
        const digests: unknown[] = [];
        for (const image_uri of [other, image]) {
          const body = { source_revision_config: { image_uri } };
          const { latest_revision_id } = await client.deployments.update({ params, body });
          const { source_revision_config } = await isDeployed(latest_revision_id);
          digests.push(source_revision_config?.image_digest);
        }
        return digests;
      },
      [Symbol.asyncDispose]: async () => {
        await client.deployments.delete({ params });
      },
    };
  }

  /** A copy of an example, without what is installed in it. */
  async function copyOf(example: string) {
    const folder = await temporaryFolder();
    const source = path.join(projectRoot, 'examples', example);
    await cp(source, folder.path, { recursive: true, filter: (file) => !/node_modules|\.venv/.test(file) });
    return folder;
  }

  async function build(folder: string, tag: string): Promise<string> {
    const { code, stdout, stderr } = await cli(['build', '--tag', tag], { cwd: folder, environment });
    assert.equal(code, 0, stderr);
    assert.equal(stdout, `${tag}\n`);
    return stderr;
  }

  /** Runs an image with `agent-harbor up` until the scope ends, its volumes with it. */
  async function up(folder: string, tag: string) {
    const port = await unusedPort();
    const running = startCli(['up', '--image', tag, '--port', String(port)], {
      cwd: folder,
      environment: { ...environment, AGENT_HARBOR_API_KEY: KEY },
    });
    await using started = new AsyncDisposableStack();
    started.defer(async () => void (await running.interrupt()));
    const url = `http://127.0.0.1:${port}`;
    await running.said(url, START_MS);
    const [, volume = ''] = /volume (\S+),/.exec(await running.said(/volume \S+,/)) ?? [];
    const next = `agent-harbor run docs_agent "hello" --deployment ${url} --header "x-api-key: ${KEY}"\n`;
    assert.ok((await running.said('Press Ctrl-C to stop.\n')).includes(next));
    const served = {
      url,
      client: new Client({ apiUrl: url, apiKey: KEY, callerOptions: { maxRetries: 0 } }),
      volume,
      stop: () => running.interrupt(),
      [Symbol.asyncDispose]: async () => {
        await running.interrupt();
        await containers.tool.ask(['volume', 'rm', '--force', volume]);
      },
    };
    started.move();
    return served;
  }

  /** The text that the example streams about its own README. */
  async function streamed(client: Client, threadId?: string): Promise<string> {
    const thread = threadId ?? (await client.threads.create()).thread_id;
    const stream = client.runs.stream(thread, 'docs_agent', {
      input: QUESTION,
      context: { docs_dir: '/app' },
      streamMode: 'messages-tuple',
    });
    let text = '';
    for await (const { event, data } of stream) {
      assert.notEqual(event, 'error', JSON.stringify(data));
      if (event !== 'messages') continue;
      const [message] = data;
      if (typeof message.content === 'string') text += message.content;
    }
    return text;
  }

  /** Rolls a deployed example out to another image and back, while it gets requests without a pause. */
  async function assertNoRequestIsLost(deployed: Awaited<ReturnType<typeof deploy>>, other: string) {
    const { client } = deployed;
    const { thread_id } = await client.threads.create({ metadata: { kept: true } });
    await using clients = steadyClients(2, () => streamed(client));
    const digests = await deployed.rollOutAndBack(other);
    const { answers, failures } = await clients.stop();
    assert.deepEqual(failures, []);
    assert.ok(answers.length > 1);
    for (const answer of answers) assert.match(answer, /README/);
    assert.equal(new Set(digests).size, 2);
    assert.equal((await client.threads.get(thread_id)).metadata?.kept, true);
  }

  it('serves the example in TypeScript, has none of its secrets, and is rebuilt from its layers', async () => {
    const { tool } = containers;
    await using project = await copyOf('docs-agent');
    const config = path.join(project.path, 'langgraph.json');
    const read = z.looseObject({}).parse(JSON.parse(await readFile(config, 'utf8')));
    await writeFile(config, JSON.stringify({ ...read, env: 'production.env' }));
    for (const name of ['production.env', '.env'])
      await writeFile(path.join(project.path, name), `OF_THE_FILE=${SECRET}\n`);
    const [tag, other] = [newTag(), newTag()];
    await build(project.path, tag);
    try {
      const inspected = await tool.ask(['image', 'inspect', '--format', '{{.Config.User}}', tag]);
      assert.equal(inspected.trim(), '1000:1000');
      await using archive = await temporaryFolder();
      const file = path.join(archive.path, 'image.tar');
      await tool.ask(['save', '--output', file, tag], { timeoutMs: 120_000 });
      const content = await readFile(file);
      // This shows that the layers can be searched.
      assert.ok(content.includes('Answers questions about a folder of Markdown'));
      assert.ok(!content.includes(SECRET));

      await change(path.join(project.path, 'src', 'graph.ts'));
      assertPackagesAreReused(await build(project.path, other), 'npm ci');

      {
        await using running = await up(project.path, tag);
        assert.match(await streamed(running.client), /README/);
        const names = (await tool.ask(['ps', '--format', '{{.Names}}'])).split('\n');
        const name = names.find((line) => line !== '' && running.volume.startsWith(line)) ?? '';
        assert.equal(await tool.ask(['exec', name, 'id', '-u']), '1000\n');
        assert.equal(await tool.ask(['exec', name, 'printenv', 'OF_THE_FILE']), `${SECRET}\n`);
      }
      await using deployed = await deploy('in-typescript', tag);
      assert.match(await streamed(deployed.client), /README/);
      await assertNoRequestIsLost(deployed, other);
    } finally {
      await tool.ask(['rmi', '--force', tag, other]);
    }
  });

  it('serves the example in Python, whose threads are still there after a restart', async () => {
    const { tool } = containers;
    await using project = await copyOf('docs-agent-python');
    const [tag, other] = [newTag(), newTag()];
    await build(project.path, tag);
    try {
      await change(path.join(project.path, 'src', 'docs_agent', 'graph.py'));
      assertPackagesAreReused(await build(project.path, other), '-r requirements.txt');
      let threadId = '';
      let said = '';
      {
        const running = await up(project.path, tag);
        threadId = (await running.client.threads.create()).thread_id;
        said = await streamed(running.client, threadId);
        assert.match(said, /README/);
        const { code } = await running.stop();
        assert.equal(code, 0);
      }
      {
        await using again = await up(project.path, tag);
        const { values } = await again.client.threads.getState<{ messages: { content: string }[] }>(threadId);
        assert.ok(said.includes(values.messages.at(-1)?.content ?? 'no message'), said);
      }
      await using deployed = await deploy('in-python', tag);
      assert.match(await streamed(deployed.client), /README/);
      await assertNoRequestIsLost(deployed, other);
    } finally {
      await tool.ask(['rmi', '--force', tag, other]);
    }
  });

  it('bundles the components in `ui` beside a graph in Python', async () => {
    await using project = await copyOf('docs-agent-python');
    const config = path.join(project.path, 'langgraph.json');
    const read = z.looseObject({}).parse(JSON.parse(await readFile(config, 'utf8')));
    await writeFile(config, JSON.stringify({ ...read, ui: { docs_agent: './ui/index.tsx' } }));
    await mkdir(path.join(project.path, 'ui'));
    const component = 'export default { weather: () => <b>sunny today</b> };';
    await writeFile(path.join(project.path, 'ui', 'index.tsx'), component);
    const bundler = await installUiBundler();
    await cp(path.join(bundler, 'package.json'), path.join(project.path, 'package.json'));
    const tag = newTag();
    await build(project.path, tag);
    try {
      await using running = await up(project.path, tag);
      const headers = { 'x-api-key': KEY, 'content-type': 'application/json' };
      const ask = { method: 'POST', headers, body: JSON.stringify({ name: 'weather' }) };
      const answer = await fetch(`${running.url}/ui/docs_agent`, ask);
      const html = await answer.text();
      assert.equal(answer.status, 200, html);
      const [, script = ''] = /src="[^"]*(\/ui\/docs_agent\/entrypoint\.js)"/.exec(html) ?? [];
      const bundle = await fetch(`${running.url}${script}`, { headers });
      assert.equal(bundle.status, 200);
      assert.match(await bundle.text(), /sunny today/);
      assert.match(await streamed(running.client), /README/);
    } finally {
      await containers.tool.ask(['rmi', '--force', tag]);
    }
  });

  it('is not built when a line fails, and the error names the line', async () => {
    await using folder = await temporaryFolder();
    const config = { graphs: { agent: './agent.mjs:graph' }, dockerfile_lines: ['RUN echo so; exit 3'] };
    await writeFile(path.join(folder.path, 'langgraph.json'), JSON.stringify(config));
    const { code, stdout, stderr } = await cli(['build', '--tag', 'agent-harbor-test:none'], {
      cwd: folder.path,
      environment,
    });
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(
      stderr,
      /error: The image could not be built: line \d+ of the Dockerfile, dockerfile_lines\[0\] of langgraph\.json, failed\. RUN echo so; exit 3: .*exit status 3\.\nso\n$/,
    );
  });

  it('makes agent-harbor up exit with the reason when one of its graphs does not load', async () => {
    await using folder = await temporaryFolder();
    const config = { graphs: { agent: './gone.mjs:graph' } };
    await writeFile(path.join(folder.path, 'langgraph.json'), JSON.stringify(config));
    const port = await unusedPort();
    const { code, stdout, stderr } = await cli(['up', '--port', String(port)], {
      cwd: folder.path,
      environment,
    });
    const [image] = /\S+(?=:latest\n)/.exec(stderr) ?? [];
    assert.ok(image !== undefined, stderr);
    try {
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /Graph 'agent' failed to load: .*gone\.mjs.*\n/);
      assert.match(
        stderr,
        /error: The container ended with exit code 1\. See its last lines for the reason\.\n$/,
      );
      const name = image.replace('localhost/', '');
      assert.ok(name.startsWith('agent-harbor-'), stderr);
      assert.ok(!(await containers.tool.ask(['ps', '--all', '--format', '{{.Names}}'])).includes(name));
    } finally {
      const { tool } = containers;
      await tool.ask(['volume', 'rm', '--force', `${image.replace('localhost/', '')}-data`]);
      await tool.ask(['rmi', '--force', image]);
    }
  });
});
