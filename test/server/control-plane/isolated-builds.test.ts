import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Client as LangGraphClient } from '@langchain/langgraph-sdk';
import { waitForRevision } from '../../../src/client/wait-for-revision.ts';
import { projectRoot } from '../../support/cache.ts';
import { cli } from '../../support/cli.ts';
import { type TestContainers, testContainers } from '../../support/containers.ts';
import { type GitRepository, gitRepository } from '../../support/control-plane/git-repository.ts';
import { type ServerProcess, serverProcess } from '../../support/control-plane/server-process.ts';
import { requirePython } from '../../support/python-projects.ts';
import { installUiBundler } from '../../support/ui-bundler.ts';
import { eventually } from '../../support/wait.ts';

/** The attacks that a hostile script of a package tries, as JSON. */
const NODE_ATTACK = `
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
const { secret, dataDir, port, place } = JSON.parse(await readFile('targets.json', 'utf8'));
const attempt = (work) => work().then(() => 'done', (error) => error.code ?? String(error));
const outcomes = {
  secret: await attempt(() => readFile(secret)),
  state: await attempt(() => readFile(dataDir + '/state.db')),
  deployments: await attempt(() => readdir(dataDir + '/deployments').then((names) => { if (names.length > 1) return; throw { code: 'ALONE' }; })),
  home: await attempt(() => readdir('/root')),
  shadow: await attempt(() => readFile('/etc/shadow')),
  system: await attempt(() => writeFile('/usr/bin/x', 'x')),
  kill: await attempt(async () => process.kill(place)),
  call: await attempt(() => new Promise((resolve, reject) => connect(port, '127.0.0.1').on('connect', resolve).on('error', reject))),
};
await writeFile('node-outcomes.json', JSON.stringify({ ...outcomes, user: process.getuid() }));
console.log(JSON.stringify(outcomes));
`;

const PYTHON_ATTACK = `
import json, os
from setuptools import setup

targets = json.load(open("targets.json"))
def attempt(file):
    try:
        open(file, "rb").read()
        return "done"
    except OSError as error:
        return type(error).__name__
outcomes = {"secret": attempt(targets["secret"]), "state": attempt(targets["dataDir"] + "/state.db"), "user": os.getuid()}
json.dump(outcomes, open("python-outcomes.json", "w"))
setup(name="hostile", version="1.0", py_modules=[])
`;

const NODE_GRAPH = `
import { readFileSync } from 'node:fs';
import { Annotation, StateGraph } from '@langchain/langgraph';
const State = Annotation.Root({ outcomes: Annotation });
const outcomes = JSON.parse(readFileSync(new URL('node-outcomes.json', import.meta.url), 'utf8'));
export const graph = new StateGraph(State).addNode('tell', () => ({ outcomes })).addEdge('__start__', 'tell').compile();
`;

const PYTHON_GRAPH = `
import json, pathlib
from typing import TypedDict
from langgraph.graph import StateGraph

class State(TypedDict, total=False):
    outcomes: dict

outcomes = json.loads((pathlib.Path(__file__).parent / "python-outcomes.json").read_text())
graph = StateGraph(State).add_node("tell", lambda state: {"outcomes": outcomes}).add_edge("__start__", "tell").compile()
`;

const MISSING = ['ENOENT', 'EACCES', 'FileNotFoundError', 'PermissionError'];

describe('a build of an isolated deployment', function () {
  this.timeout(600_000);
  let containers: TestContainers;
  let server: ServerProcess;

  before(async function () {
    containers = await testContainers(this);
    await requirePython(this, 'langgraph-1.2');
    server = await serverProcess({
      env: {
        ...containers.environment,
        AGENT_HARBOR_BUILD_NETWORK: 'none',
        AGENT_HARBOR_BUILD_DISK_MB: '48',
      },
    });
  });
  after(async () => {
    await server?.stop();
    await server?.[Symbol.asyncDispose]();
  });

  async function push(repository: GitRepository, to: ServerProcess, files: Record<string, string>) {
    await repository.push({
      'package.json': JSON.stringify({ name: 'hostile', type: 'module' }),
      'langgraph.json': JSON.stringify({ graphs: { node: './node.mjs:graph' } }),
      'node.mjs': NODE_GRAPH,
      'attack.mjs': NODE_ATTACK,
      'targets.json': JSON.stringify({
        secret: path.join(projectRoot, 'package.json'),
        dataDir: to.dataDir,
        port: Number(new URL(to.baseUrl).port),
        place: to.pid,
      }),
      ...files,
    });
  }

  async function create(on: ServerProcess, repository: GitRepository, config: Record<string, string>) {
    const created = await on.client.deployments.create({
      body: {
        name: 'hostile',
        source: 'github',
        source_config: { repo_url: repository.url, isolation: 'container', ...config },
        source_revision_config: { repo_ref: 'main' },
        secrets: [],
      },
    });
    return { deployment_id: created.id, revision_id: created.latest_revision_id ?? '' };
  }

  /** The outcome of a deployment with an install command, and the log of its build. */
  async function deploy(files: Record<string, string>, install_command: string) {
    await using repository = await gitRepository();
    await push(repository, server, files);
    const params = await create(server, repository, { install_command });
    const revision = await waitForRevision(server.client.revisions, params).catch(
      (error: { revision: { status: string; status_message: string | null } }) => error.revision,
    );
    const { logs } = await server.client.deploymentLogs.build({
      params,
      body: { order: 'asc', limit: 1_000 },
    });
    await server.client.deployments.delete({ params });
    return { ...revision, log: logs.map(({ message }) => message) };
  }

  const building = async () => {
    const listed = await containers.tool.ask(['ps', '--all', '--format', '{{.Names}}']);
    return listed.split('\n').filter((name) => name.startsWith('agent-harbor-build-'));
  };

  it('reads nothing on this machine in scripts of its packages, in both languages', async () => {
    // With a network, because packages come from a registry.
    await using online = await serverProcess({
      env: { ...containers.environment, AGENT_HARBOR_BUILD_NETWORK: 'host' },
    });
    await using repository = await gitRepository();
    const line = path.join(projectRoot, 'test/fixtures/projects/langgraph-1.7');
    const manifest = JSON.parse(await readFile(path.join(line, 'package.json'), 'utf8'));
    await push(repository, online, {
      'package.json': JSON.stringify({ ...manifest, scripts: { postinstall: 'node attack.mjs' } }),
      'package-lock.json': await readFile(path.join(line, 'package-lock.json'), 'utf8'),
      'langgraph.json': JSON.stringify({
        graphs: { node: './node.mjs:graph', python: './python.py:graph' },
        dependencies: ['.'],
      }),
      'python.py': PYTHON_GRAPH,
      'setup.py': PYTHON_ATTACK,
      'requirements.txt': 'langgraph>=1.0,<2\n',
    });
    const params = await create(online, repository, {});
    const revision = await waitForRevision(online.client.revisions, params);
    assert.equal(revision.status, 'DEPLOYED', revision.status_message ?? '');
    const { source_config } = await online.client.deployments.get({ params });
    const sdk = new LangGraphClient({ apiUrl: source_config.custom_url ?? '', apiKey: online.apiKey });
    for (const graph of ['node', 'python']) {
      const { outcomes } = (await sdk.runs.wait(null, graph, { input: {} })) as {
        outcomes: Record<string, unknown>;
      };
      for (const file of ['secret', 'state'])
        assert.ok(MISSING.includes(String(outcomes[file])), `${graph} ${file}: ${outcomes[file]}`);
      assert.ok(Number(outcomes.user) >= 20_000);
    }
    await online.stop();
  });

  it('bundles the components of its own interface, and says which it could not', async () => {
    // With a network, because packages come from a registry.
    await using online = await serverProcess({
      env: { ...containers.environment, AGENT_HARBOR_BUILD_NETWORK: 'host' },
    });
    await using repository = await gitRepository();
    const manifest = path.join(await installUiBundler(), 'package.json');
    await push(repository, online, {
      'package.json': await readFile(manifest, 'utf8'),
      'langgraph.json': JSON.stringify({
        graphs: { node: './node.mjs:graph' },
        ui: { node: './ui.tsx', broken: './broken.tsx' },
      }),
      'node-outcomes.json': '{}',
      'ui.tsx': 'export default { weather: () => <b>sunny today</b> };',
      'broken.tsx': 'export default {',
    });
    const { deployment_id, revision_id } = await create(online, repository, { isolation: 'process' });
    await waitForRevision(online.client.revisions, { deployment_id, revision_id });
    // The build that was made outside has none.
    const changed = await online.client.deployments.update({
      params: { deployment_id },
      body: { source_config: { isolation: 'container' } },
    });
    const params = { deployment_id, revision_id: changed.latest_revision_id ?? '' };
    const revision = await waitForRevision(online.client.revisions, params);
    assert.equal(revision.status, 'DEPLOYED', revision.status_message ?? '');
    const { logs } = await online.client.deploymentLogs.build({
      params,
      body: { order: 'asc', limit: 1_000 },
    });
    const warning = logs.find(({ message }) => /could not be bundled/.test(message));
    assert.equal(warning?.level, 'WARNING');
    assert.match(warning.message, /The components of 'broken' could not be bundled: .*found end of file/s);
    const { source_config } = await online.client.deployments.get({ params });
    const load = (agent: string) =>
      fetch(`${source_config.custom_url}/ui/${agent}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': online.apiKey },
        body: JSON.stringify({ name: 'weather' }),
      });
    const html = await (await load('node')).text();
    const [, script = ''] = /<script src="([^"]+)"/.exec(html) ?? [];
    assert.match(await (await fetch(script)).text(), /sunny today/);
    const broken = await load('broken');
    assert.equal(broken.status, 500);
    assert.match(await broken.text(), /'broken' are not in the build that is served.*log of the build/);
    await online.stop();
  });

  it('reads and reaches nothing in its install command', async () => {
    const { status, log } = await deploy(
      { 'package.json': JSON.stringify({ scripts: { fail: 'node attack.mjs && exit 3' }, type: 'module' }) },
      'npm run fail',
    );
    assert.equal(status, 'BUILD_FAILED');
    const said = log.find((line) => line.startsWith('{"secret"'));
    assert.ok(said, log.join('\n'));
    const { secret, state, home, shadow, ...others } = JSON.parse(said);
    for (const outcome of [secret, state, home, shadow]) assert.ok(MISSING.includes(outcome), said);
    const { deployments, ...rest } = others;
    assert.match(deployments, /^(?:ALONE|ENOENT|EACCES)$/);
    assert.deepEqual(rest, { system: 'EROFS', kill: 'ESRCH', call: 'ECONNREFUSED' });
  });

  it('creates nothing that runs outside its container', async () => {
    const mark = path.join(server.dataDir, 'escaped');
    const { status } = await deploy(
      {
        'langgraph.json': JSON.stringify({ graphs: { python: './python.py:graph' } }),
        'python.py': PYTHON_GRAPH,
        'install.mjs': `
          import { mkdirSync, writeFileSync } from 'node:fs';
          mkdirSync('.venv/bin', { recursive: true });
          writeFileSync('.venv/bin/python', '#!/bin/sh\\ntouch ${mark}\\necho 3.12.1\\n', { mode: 0o755 });
        `,
      },
      'node install.mjs',
    );
    assert.equal(status, 'DEPLOY_FAILED');
    assert.ok(!existsSync(mark));
  });

  it('cannot lead its runtime to files on this machine', async () => {
    const { status, status_message } = await deploy(
      {
        'langgraph.json': JSON.stringify({ graphs: { python: './python.py:graph' } }),
        'python.py': PYTHON_GRAPH,
        'install.mjs': `
          import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
          mkdirSync('.venv/bin', { recursive: true });
          writeFileSync('.venv/pyvenv.cfg', 'version = 3.12.1\\n');
          symlinkSync(${JSON.stringify(path.join(server.dataDir, 'state.db'))}, '.venv/bin/python');
        `,
      },
      'node install.mjs',
    );
    assert.equal(status, 'DEPLOY_FAILED');
    assert.match(status_message ?? '', /state\.db, which is not an interpreter of this machine/);
  });

  it('fails when it replaces a file that the server reads with a link out of the source', async () => {
    const { status, status_message } = await deploy(
      {
        'install.mjs': `
          import { rmSync, symlinkSync } from 'node:fs';
          rmSync('langgraph.json');
          symlinkSync(${JSON.stringify(path.join(projectRoot, 'package.json'))}, 'langgraph.json');
        `,
      },
      'node install.mjs',
    );
    assert.equal(status, 'BUILD_FAILED');
    assert.match(status_message ?? '', /langgraph\.json points outside the source/);
  });

  it('says which command is missing', async () => {
    const { status, status_message } = await deploy({}, 'no-such-program --now');
    assert.equal(status, 'BUILD_FAILED');
    assert.match(status_message ?? '', /'no-such-program' is not installed on this machine/);
  });

  it('ends when it uses more of the disk than it may', async () => {
    const { status, status_message } = await deploy(
      {
        'fill.mjs': `
          import { appendFileSync } from 'node:fs';
          for (let megabytes = 0; megabytes < 64; megabytes++) appendFileSync('waste', Buffer.alloc(1_048_576, 1));
          setInterval(() => {}, 1_000);
        `,
      },
      'node fill.mjs',
    );
    assert.equal(status, 'BUILD_FAILED');
    assert.match(
      status_message ?? '',
      /takes \d+ MB of the disk.*may take 48 MB.*AGENT_HARBOR_BUILD_DISK_MB/,
    );
    assert.deepEqual(await building(), []);
  });

  it('ends with a server that is killed', async () => {
    await using killed = await serverProcess({ env: containers.environment });
    await using repository = await gitRepository();
    await push(repository, killed, {
      'package.json': JSON.stringify({ scripts: { postinstall: 'node hang.mjs' }, type: 'module' }),
      'hang.mjs': 'setInterval(() => {}, 1_000);',
    });
    const options = ['--repo', repository.url, '--isolation', 'container', '--data-dir', killed.dataDir];
    const { code, stderr } = await cli(['deploy', ...options], { cwd: repository.workDir });
    assert.equal(code, 0, stderr);
    await eventually('it builds', building, (names) => names.length > 0, 30_000);
    await killed.kill();
    await eventually('no container is left', building, (names) => names.length === 0, 30_000);
  });
});
