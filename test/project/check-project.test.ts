import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { RuntimeState } from '../../src/contract/harbor.ts';
import { checkProject, type FurtherCheck } from '../../src/project/checks/check-project.ts';
import { checkPythonEnvironment } from '../../src/project/checks/check-python-environment.ts';
import { makeJsonService, readConfigDocument } from '../../src/project/config-document.ts';
import { filesOnDisk, type ProjectFiles } from '../../src/project/project-files.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const service = makeJsonService();
const agent = 'export const graph = make();\n';
const [makeVenv, venvPython] =
  process.platform === 'win32'
    ? ['py -m venv .venv, then ', '.venv\\Scripts\\python']
    : ['python3 -m venv .venv && ', '.venv/bin/python'];

/** The problems, as `line:column severity code message`. */
async function check(
  config: object | string,
  files: Readonly<Record<string, string>> = { 'agent.ts': agent },
  more: {
    environment?: Record<string, string>;
    runtime?: (folder: string) => RuntimeState;
    further?: readonly FurtherCheck[];
    files?: ProjectFiles;
  } = {},
): Promise<string[]> {
  await using folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder.path, name)), { recursive: true });
    await writeFile(path.join(folder.path, name), text);
  }
  const file = path.join(folder.path, 'langgraph.json');
  const text = typeof config === 'string' ? config : JSON.stringify(config, null, 1);
  const input = {
    config: await readConfigDocument(service, file, text),
    files: more.files ?? filesOnDisk,
    environment: more.environment ?? {},
    runtime: more.runtime?.(folder.path),
  };
  const problems = await checkProject(input, more.further);
  return problems.map(({ file: of, range: { start }, severity, code, message }) => {
    const place = of === file ? '' : `${path.relative(folder.path, of)}:`;
    return `${place}${start.line + 1}:${start.character + 1} ${severity} ${code} ${message}`;
  });
}

describe('a project', () => {
  it('has no problems when everything exists', async () => {
    const config = {
      $schema: 'https://langgra.ph/schema.json',
      graphs: { a: './agent.ts:graph', b: { path: './agent.py:make', description: 'B' } },
      dependencies: ['.'],
      env: '.env',
    };
    const files = { 'agent.ts': agent, 'agent.py': 'def make(): ...', '.env': '' };
    assert.deepEqual(await check(config, files), []);
  });

  it('should name its files so that every system finds them', async () => {
    // Windows finds them in any case, and with backslashes.
    const found = (file: string) => path.join(path.dirname(file), path.basename(file).toLowerCase());
    const files: ProjectFiles = {
      ...filesOnDisk,
      kind: (file) => filesOnDisk.kind(found(file)),
      read: (file) => filesOnDisk.read(found(file)),
    };
    assert.deepEqual(await check({ graphs: { a: './AGENT.ts:graph' } }, undefined, { files }), [
      '3:9 warning file-missing ./AGENT.ts is not found on Linux, and so not in images and deployments. Write ./agent.ts.',
    ]);
  });

  it('is only checked further when it is valid JSON', async () => {
    const found = await check('{ "graphs": { "a": "./missing.ts:graph", } }');
    assert.equal(found.length, 1);
    assert.match(found[0] ?? '', /^1:40 error syntax /);
  });

  it('must have a graph, named as file and export', async () => {
    assert.deepEqual(await check({ node_version: '22' }), ["1:1 error schema Missing property 'graphs'."]);
    assert.match((await check({ graphs: {} })).join(), /error schema/);
    assert.match(
      (await check({ graphs: { a: './agent.ts' } })).join(),
      /3:8 error schema Must be a file and an export/,
    );
  });

  it('has known keys only, at every depth', async () => {
    const config = {
      graphs: { a: './agent.ts:graph' },
      http: { cors: { allow_origin: [] } },
      dependecies: [],
    };
    assert.deepEqual(await check(config), [
      "7:4 warning unknown-key Unknown key 'allow_origin'. Did you mean 'allow_origins'?",
      "10:2 warning unknown-key Unknown key 'dependecies'. Did you mean 'dependencies'?",
    ]);
  });

  it('names files and exports that exist, in every key that names one', async () => {
    const config = {
      graphs: { a: './agnt.ts:graph', b: './agent.ts:grph', c: './agent.ts:count' },
      auth: { path: './auth.ts:auth' },
      http: { app: './agent.ts:app' },
      store: { index: { dims: 3, embed: './embed.ts:embed' } },
    };
    const files = { 'agent.ts': `${agent}export const count = 3;` };
    const found = await check(config, files);
    assert.deepEqual(
      found.map((line) => line.replace(/^\S+ error /, '')),
      [
        'file-missing File not found: ./agnt.ts. Did you mean ./agent.ts?',
        "export-missing ./agent.ts has no export 'grph'. Did you mean 'graph'? It exports 'graph', 'count'.",
        "not-a-graph The export 'count' of ./agent.ts is a number, not a graph: export a compiled graph, a StateGraph, or a function that returns one.",
        'file-missing File not found: ./auth.ts.',
        "export-missing ./agent.ts has no export 'app'. It exports 'graph', 'count'.",
        'file-missing File not found: ./embed.ts.',
      ],
    );
  });

  it('may embed with a model, name a Python module, and export what another module does', async () => {
    const config = {
      graphs: { a: './agent.ts:graph', b: 'pkg.agent:graph', c: 'installed.elsewhere:graph' },
      dependencies: ['.'],
      store: { index: { dims: 3, embed: 'openai:text-embedding-3-small' } },
    };
    const files = {
      'agent.ts': "export * from './other.js';",
      'other.ts': agent,
      'src/pkg/agent.py': 'graph = 1+1',
    };
    assert.deepEqual(await check(config, files), []);
    const missing = await check(config, { ...files, 'other.ts': '', 'src/pkg/agent.py': '' });
    assert.deepEqual(
      missing.map((line) => line.split(' ')[2]),
      ['export-missing', 'export-missing'],
    );
  });

  it('gets a warning if its env file is missing, or lacks variables that .env.example lists', async () => {
    const config = { graphs: { a: './agent.ts:graph' }, env: '.env' };
    assert.deepEqual(await check(config), [
      "5:10 warning env-file Env file .env not found, so its variables are not set: create it, or change 'env'.",
    ]);
    assert.deepEqual(
      await check(config, { 'agent.ts': agent, '.env.example': 'A=\nB=\nC=' }, { environment: { C: '' } }),
      [
        '5:10 warning env-file Env file .env not found, so A, B are not set: copy .env.example to .env and fill it in.',
      ],
    );
    // Tracing is set by the server that runs the project.
    const example = 'A=\nLANGSMITH_API_KEY=\nLANGCHAIN_TRACING_V2=true';
    const set = { environment: { A: '1' } };
    assert.deepEqual(await check(config, { 'agent.ts': agent, '.env.example': example }, set), []);
    const files = { 'agent.ts': agent, '.env': 'A=1', '.env.example': 'A=\nB=\nC=' };
    assert.deepEqual(await check(config, files, { environment: { C: '' } }), [
      '5:10 warning env-variable .env does not set B, which .env.example lists.',
    ]);
    const bad = { ...files, '.env': 'A=1\nB=2\nC=3\n\n  bad line here\nD="x\n' };
    assert.deepEqual(await check(config, bad), [
      '.env:5:3 error env-file Not a variable. Write NAME=value, or # before a comment.',
      '.env:6:1 error env-file The quotes of this value do not match, or text follows them.',
    ]);
  });

  it('has the variables that webhooks need', async () => {
    const config = {
      graphs: { a: './agent.ts:graph' },
      env: { LG_WEBHOOK_A: 'x' },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as langgraph.json has it
      webhooks: { headers: { x: '${{ env.LG_WEBHOOK_A }} ${{ env.LG_WEBHOOK_B }} ${{ env.OTHER }}' } },
    };
    assert.deepEqual(
      (await check(config)).map((line) => line.slice(line.indexOf('error'))),
      [
        "error env-variable LG_WEBHOOK_B is not set. Set it in the project's env.",
        'error env-variable OTHER cannot be used here: variables in webhooks.headers must start with LG_WEBHOOK_.',
      ],
    );
  });

  it('has its packages installed', async () => {
    const config = { graphs: { a: './agent.ts:graph' } };
    const files = {
      'agent.ts': agent,
      'package.json': '{ "dependencies": { "one": "1", "@of/two": "2" } }',
      'node_modules/one/package.json': '{}',
    };
    assert.deepEqual(await check(config, files), [
      '2:2 error dependency @of/two in package.json is not installed. Run npm install.',
    ]);
    const apart = { graphs: { a: './apps/agents/src/agent.ts:graph' } };
    const workspace = {
      'package.json': '{ "private": true }',
      'apps/agents/src/agent.ts': agent,
      'apps/agents/package.json': '{ "dependencies": { "@langchain/langgraph": "1", "two": "2" } }',
      'apps/agents/node_modules/@langchain/langgraph/package.json': '{ "version": "0.2.74" }',
      'pnpm-lock.yaml': '',
    };
    assert.deepEqual(await check(apart, workspace), [
      '2:2 error dependency two in apps/agents/package.json is not installed. Run pnpm install in apps/agents.',
      '2:2 error dependency @langchain/langgraph 0.2.74 is too old. Version 1.1 or later is required. Run pnpm add @langchain/langgraph@latest @langchain/core@latest in apps/agents.',
    ]);
    const python = {
      graphs: { a: './a.py:graph' },
      dependencies: ['./lib', 'Lang_Chain>=1', 'httpx', './a.py', 'mine'],
    };
    const environment = {
      'a.py': 'graph = make()',
      'mine/graph.py': '',
      '.venv/pyvenv.cfg': '',
      '.venv/lib/python3.12/site-packages/lang_chain-1.0.dist-info/METADATA': '',
    };
    assert.deepEqual(await check(python, environment), [
      '6:4 error file-missing Folder not found: ./lib.',
      '8:4 warning dependency httpx is not installed in .venv.',
      '9:4 error file-missing ./a.py is a file, not a folder: write "." for what its folder requires.',
      '10:4 warning dependency mine is installed as a package of this name, not from the folder beside langgraph.json. Write ./mine for the folder.',
    ]);
    const here = { graphs: { a: './a.py:graph' }, dependencies: ['.'] };
    const pyproject = `[project]
name = "mine"
dependencies = [
  "Lang.Chain[all]>=1", # "not-this"
  'tavily-python>=0.5',
  "winonly; sys_platform == 'win32'",
]
[dependency-groups]
dependencies = ["nor-this"]
`;
    assert.deepEqual(await check(here, { ...environment, 'pyproject.toml': pyproject }), [
      `6:4 warning dependency tavily-python from pyproject.toml is not installed in .venv. Run ${venvPython} -m pip install -e .`,
    ]);
    const requirements = {
      'requirements.txt': '# all\n-r more.txt\nlang-chain==1\nhttpx\nexa_py>=1 # search\n',
    };
    assert.deepEqual(await check(here, { ...environment, ...requirements, 'uv.lock': '' }), [
      '6:4 warning dependency httpx, exa_py from requirements.txt are not installed in .venv. Run uv sync.',
    ]);
  });

  it('has an environment of the right Python with LangGraph in it', async () => {
    const config = { graphs: { a: './a.py:graph' }, dependencies: ['.'], python_version: '3.13' };
    const ask = (files: Record<string, string>, environment = {}) =>
      check(
        config,
        { 'a.py': 'graph = make()', ...files },
        { environment, further: [checkPythonEnvironment] },
      );
    const missing = `2:2 warning dependency No virtual environment found, so the graphs run on the system Python. Run ${makeVenv}${venvPython} -m pip install`;
    assert.deepEqual(await ask({}), [`${missing} langgraph.`]);
    assert.deepEqual(await ask({ 'pyproject.toml': '[project]\ndependencies = []\n' }), [`${missing} -e .`]);
    assert.deepEqual(await ask({}, { VIRTUAL_ENV: '/there' }), []);
    assert.deepEqual(await ask({ 'poetry.lock': '' }), []);
    const environment = {
      '.venv/pyvenv.cfg': 'version = 3.11.7\n',
      '.venv/lib/python3.11/site-packages/x.py': '',
    };
    assert.deepEqual(await ask(environment), [
      `2:2 error dependency LangGraph is not installed in .venv. Run ${venvPython} -m pip install langgraph.`,
      '8:21 warning dependency langgraph.json requires Python 3.13, but .venv has 3.11.7.',
    ]);
    assert.deepEqual(
      await ask({
        '.venv/pyvenv.cfg': 'version = 3.13.1\n',
        '.venv/lib/python3.13/site-packages/langgraph-1.2.22.dist-info/METADATA': '',
      }),
      [],
    );
  });

  it('needs dependencies if it is Python, and must have none with uv', async () => {
    const graphs = { a: './a.py:graph' };
    const files = { 'a.py': 'graph = make()' };
    assert.match((await check({ graphs }, files)).join(), /^2:12 warning language .*without 'dependencies'/);
    const both = { graphs, dependencies: ['.'], source: { kind: 'uv' }, python_version: '3.12' };
    assert.match((await check(both, files)).join(), /error language 'dependencies' cannot be used/);
  });

  it('has the runtime’s errors among its problems, unless the cause is already reported', async () => {
    const about = { language: 'node', language_version: '24', langgraph_version: '1', loader: 'tsx' };
    const config = { graphs: { a: './agent.ts:graph', b: './nope.ts:graph' } };
    const failed = (graph_id: string, folder: string, location?: { file: string; line: number }) => ({
      status: 'failed' as const,
      graph_id,
      error: { name: 'Error', message: `${folder}${path.sep}agent.ts fails.`, ...(location && { location }) },
    });
    const found = await check(config, undefined, {
      runtime: (folder) => ({
        state: 'ready',
        ...about,
        graphs: [failed('a', folder, { file: path.join(folder, 'agent.ts'), line: 1 }), failed('b', folder)],
      }),
    });
    assert.deepEqual(found, [
      '3:9 error load agent.ts fails.',
      '4:9 error file-missing File not found: ./nope.ts.',
      'agent.ts:1:1 error load agent.ts fails.',
    ]);
    const refused = await check({ graphs: { a: './agent.ts:graph' } }, undefined, {
      runtime: () => ({ state: 'failed', message: 'There is no Node.' }),
    });
    assert.deepEqual(refused, ['1:1 error load There is no Node.']);
  });
});
