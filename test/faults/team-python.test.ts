import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { waitForRevision } from '../../src/client/wait-for-revision.ts';
import { type GitRepository, gitRepository } from '../support/control-plane/git-repository.ts';
import { type Postgres, requirePostgres } from '../support/postgres.ts';
import { findPython, findPythonVersion, type Python, withPython } from '../support/python-environments.ts';
import { requirePython } from '../support/python-projects.ts';
import { type PlatformNode, type PlatformTeam, platformTeam } from '../support/team-platform.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { eventually } from '../support/wait.ts';
import { makeWheel } from '../support/wheel.ts';

/** Records each step in a file, and waits in the second one until another file exists. */
const GRAPH = (folder: string) => `
import asyncio, operator, os
from typing import Annotated, TypedDict
from langgraph.graph import StateGraph
from words import said

FOLDER = ${JSON.stringify(folder)}

class State(TypedDict):
    steps: Annotated[list, operator.add]

def note(name):
    with open(os.path.join(FOLDER, "steps"), "a") as file:
        file.write(name + " ")
    return {"steps": [name]}

async def first(state):
    return note("first")

async def second(state):
    while not os.path.exists(os.path.join(FOLDER, "go")):
        await asyncio.sleep(0.05)
    return {"steps": [said()]}

builder = StateGraph(State).add_node("first", first).add_node("second", second)
graph = builder.add_edge("__start__", "first").add_edge("first", "second").compile()
`;

describe('a deployment of Python graphs on servers of a team', function () {
  this.timeout(300_000);
  let postgres: Postgres;
  let line: string;
  let packages: string;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let repository: GitRepository;
  before(async function () {
    postgres = await requirePostgres(this);
    const python = await requirePython(this, 'langgraph-1.2');
    const { version } = await findPython();
    line = version.split('.').slice(0, 2).join('.');
    packages = path.resolve(python, '..', '..', 'lib', `python${line}`, 'site-packages');
  });
  beforeEach(async () => {
    folder = await temporaryFolder();
    repository = await gitRepository();
  });
  afterEach(async () => {
    await repository[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });
  after(() => postgres?.[Symbol.asyncDispose]());

  const file = (name: string) => path.join(folder.path, name);
  const makeTeam = async () =>
    platformTeam({ database: await postgres.createDatabase(), objects: file('objects') });

  /** A project with its own package, which links to packages that are installed once for all tests. */
  async function push(): Promise<void> {
    await mkdir(file('objects'), { recursive: true });
    const wheel = await makeWheel(folder.path, 'linked', { 'linked.pth': `${packages}\n` });
    await repository.push({
      'langgraph.json': JSON.stringify({
        python_version: line,
        dependencies: ['.'],
        graphs: { steps: './graph.py:graph' },
      }),
      'requirements.txt': `${wheel}\n`,
      'graph.py': GRAPH(folder.path),
      'words.py': 'def said():\n    return "second"\n',
    });
  }

  async function deploy({ client }: PlatformNode) {
    const created = await client.deployments.create({
      body: {
        name: 'python',
        source: 'github',
        source_config: { repo_url: repository.url },
        source_revision_config: { repo_ref: 'main' },
      },
    });
    const params = { deployment_id: created.id, revision_id: created.latest_revision_id ?? '' };
    await waitForRevision(client.revisions, params);
    return params;
  }

  /** The logs of the builds of a revision and of the servers that serve it. */
  async function logsOf({ client }: PlatformNode, params: Awaited<ReturnType<typeof deploy>>) {
    const of = { params, body: { limit: 1000, order: 'asc' } } as const;
    const pages = [await client.deploymentLogs.build(of), await client.deploymentLogs.deployOfRevision(of)];
    return pages.flatMap(({ logs }) => logs.map(({ message }) => message)).join('\n');
  }

  async function begin(node: PlatformNode, id: string) {
    const client = node.agent(id);
    const { thread_id: threadId } = await client.threads.create();
    const { run_id: runId } = await client.runs.create(threadId, 'steps', { input: {} });
    await eventually(
      'the first step is stored',
      async () => {
        const { values } = await client.threads.getState<{ steps: string[] }>(threadId);
        return values.steps?.length === 1;
      },
      Boolean,
      60_000,
    );
    return { threadId, runId };
  }

  it('is built once, and another server continues its runs', async () => {
    const team: PlatformTeam = await makeTeam();
    await push();
    await using one = await team.start();
    await using other = await team.start();
    const params = await deploy(one);
    const { deployment_id: id } = params;
    const { threadId, runId } = await begin(one, id);
    await one.process.kill();
    await writeFile(file('go'), '');
    assert.deepEqual(await other.agent(id).runs.join(threadId, runId), { steps: ['first', 'second'] });
    assert.equal((await readFile(file('steps'), 'utf8')).trim(), 'first');
    assert.equal((await logsOf(other, params)).match(/^\$ python .* pip install /gm)?.length, 1);
  });

  it('says why it is not served on a server without its Python, and is served by the others', async function () {
    const another = await withPython(this, () => findPythonVersion(line === '3.12' ? '3.13' : '3.12'));
    const team = await makeTeam();
    await push();
    const bin = await programs('bin-of-one', await findPython());
    await using one = await team.start(environmentOf(bin));
    const params = await deploy(one);
    const { deployment_id: id } = params;
    // From now on, this simulates the other machine.
    await one.process.kill();
    await rename(bin, file('away'));
    await using other = await team.start(environmentOf(await programs('bin-of-other', another)));
    const reason = new RegExp(
      `^Not served on server .*: Python ${line} is not installed on this machine`,
      'm',
    );
    const logs = () => logsOf(other, params);
    await eventually('the server has said why', async () => reason.test(await logs()), Boolean, 120_000);
    await assert.rejects(other.agent(id).threads.create(), /cannot be served on server .* Its log says why/);
    const before = (await logs()).length;
    await assert.rejects(other.agent(id).threads.search(), /cannot be served/);
    assert.equal((await logs()).length, before, 'requests do not build it again');

    await rename(file('away'), bin);
    await writeFile(file('go'), '');
    await one.process.start();
    const done = () =>
      one
        .agent(id)
        .runs.wait(null, 'steps', { input: {} })
        .catch(() => undefined);
    const values = await eventually('it is served again', done, Boolean, 60_000);
    assert.deepEqual(values, { steps: ['first', 'second'] });
  });

  /** A folder of programs for a separate machine, with this Python and no other. */
  async function programs(name: string, { file: python, version }: Python): Promise<string> {
    await mkdir(file(name));
    const run = promisify(execFile);
    // The first may be a script of pyenv, which asks for others.
    const { stdout } = await run(python, ['-c', 'import sys; print(sys.executable)']);
    const [line] = /^\d+\.\d+/.exec(version) ?? [];
    await symlink(stdout.trim(), path.join(file(name), `python${line}`));
    await symlink(`python${line}`, path.join(file(name), 'python3'));
    const folders = (process.env.PATH ?? '').split(path.delimiter);
    const git = folders.map((folder) => path.join(folder, 'git')).find((program) => existsSync(program));
    if (git !== undefined) await symlink(git, path.join(file(name), 'git'));
    return file(name);
  }

  /** Variables of a machine that has these programs and no others. */
  function environmentOf(bin: string): Record<string, string> {
    return { PATH: bin, PYENV_ROOT: file('nothing'), UV_PYTHON_INSTALL_DIR: file('nothing') };
  }
});
