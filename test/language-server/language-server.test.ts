import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import {
  ApplyWorkspaceEditRequest,
  CodeLensRefreshRequest,
  ExecuteCommandRequest,
  type Position,
} from 'vscode-languageserver-protocol/node';
import { editProject } from '../support/language-server.ts';

const agent = `import { StateGraph } from '@langchain/langgraph';
export const version = '1';
const builder = new StateGraph({});
export const graph = builder.compile();
`;

/** Splits a text at its cursor, written as |. */
function cursor(text: string): { text: string; at: Position } {
  const before = text.slice(0, text.indexOf('|'));
  const lines = before.split('\n');
  return {
    text: text.replace('|', ''),
    at: { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 },
  };
}

/** The completions at the cursor. */
async function offered(config: string, files: Record<string, string | object> = {}) {
  const { text, at } = cursor(config);
  await using project = await editProject({ 'langgraph.json': text, ...files });
  await project.open('langgraph.json');
  // Awaited here, because the server ends with this scope.
  return await project.complete('langgraph.json', at);
}

describe('the language server', () => {
  it('completes every top-level key, with its description', async () => {
    const items = await offered('{ "graphs": {}, | }');
    const labels = items.map(({ label }) => label);
    for (const key of ['env', 'dependencies', 'http', 'store', 'checkpointer', 'webhooks', 'python_version'])
      assert.ok(labels.includes(key), key);
    assert.ok(!labels.includes('graphs'), 'what is there already');
    assert.ok(!labels.includes('$schema'), 'which editors offer in any JSON');
    assert.match(JSON.stringify(items.find(({ label }) => label === 'env')?.documentation), /variables/);
  });

  it('completes nested keys and values', async () => {
    const keys = await offered('{ "graphs": {}, "http": { | } }');
    assert.ok(keys.some(({ label }) => label === 'disable_mcp'));
    const values = await offered('{ "graphs": {}, "image_distro": | }');
    assert.deepEqual(values.map(({ label }) => label).sort(), ['"bookworm"', '"debian"', '"wolfi"']);
  });

  it('completes files and folders of a graph, and exports after the colon', async () => {
    const files = { 'src/agent.ts': agent, 'src/notes.md': '', 'node_modules/x/index.js': '', 'main.py': '' };
    const roots = await offered('{ "graphs": { "a": "|" } }', files);
    assert.deepEqual(roots.map(({ label }) => label).sort(), ['./main.py', './src/']);
    const inside = await offered('{ "graphs": { "a": "./src/|" } }', files);
    assert.deepEqual(
      inside.map(({ textEdit }) => textEdit?.newText),
      ['agent.ts:'],
    );
    const exports = await offered('{ "graphs": { "a": { "path": "./src/agent.ts:|" } } }', files);
    assert.deepEqual(
      exports.map(({ label }) => label),
      ['graph'],
    );
  });

  it('completes in an unclosed string', async () => {
    const items = await offered('{ "graphs": { "a": "./src/agent.ts:|', { 'src/agent.ts': agent });
    assert.deepEqual(
      items.map(({ label }) => label),
      ['graph'],
    );
  });

  it('completes env files and folders of dependencies', async () => {
    const files = { '.env': '', '.env.local': '', 'lib/pyproject.toml': '' };
    const envs = await offered('{ "graphs": {}, "env": "|" }', files);
    assert.deepEqual(envs.map(({ label }) => label).sort(), ['.env', '.env.local']);
    const dependencies = await offered('{ "graphs": {}, "dependencies": ["|"] }', files);
    assert.deepEqual(dependencies.map(({ label }) => label).sort(), ['.', './lib/']);
  });

  it('keeps serving an editor that refuses a request', async () => {
    const { text, at } = cursor('{ "graphs": {}, "http": { "mount_pre|fix": "/agent" } }');
    await using project = await editProject(
      { 'langgraph.json': text },
      {},
      { workspace: { codeLens: { refreshSupport: true } } },
    );
    await project.open('langgraph.json');
    const refused = new Promise<void>((resolve) => {
      project.connection.onRequest(CodeLensRefreshRequest.type, () => {
        resolve();
        throw new Error('Not now.');
      });
    });
    await project.tell([]);
    await refused;
    assert.match(await project.hover('langgraph.json', at), /Path prefix of all routes/);
    assert.match(await project.hover('langgraph.json', at), /Path prefix of all routes/);
  });

  it('describes a key on hover', async () => {
    const { text, at } = cursor('{ "graphs": {}, "http": { "mount_pre|fix": "/agent" } }');
    await using project = await editProject({ 'langgraph.json': text });
    await project.open('langgraph.json');
    assert.match(await project.hover('langgraph.json', at), /Path prefix of all routes/);
  });

  it('checks unsaved changes of langgraph.json and sources', async () => {
    await using project = await editProject({
      'langgraph.json': { graphs: { a: './agent.ts:grph' } },
      'agent.ts': agent,
    });
    await project.open('langgraph.json');
    const [problem] = await project.diagnostics('langgraph.json', (found) => found.length === 1);
    assert.equal(
      problem?.message,
      "./agent.ts has no export 'grph'. Did you mean 'graph'? It exports 'version', 'graph'.",
    );
    assert.equal(problem?.code, 'export-missing');
    assert.deepEqual(problem?.range.start, { line: 2, character: 21 });

    await project.open('agent.ts', agent.replace('const graph', 'const grph'));
    await project.diagnostics('langgraph.json', (found) => found.length === 0);
    await project.change('agent.ts', 'export const other = 1;');
    await project.diagnostics('langgraph.json', (found) => found.length === 1);
  });

  it('leaves syntax errors to editors that report them', async () => {
    const broken = { 'langgraph.json': '{ "graphs": ' };
    await using alone = await editProject(broken);
    await alone.open('langgraph.json');
    const found = await alone.diagnostics('langgraph.json', ({ length }) => length > 0);
    assert.deepEqual([...new Set(found.map(({ code }) => code))], ['syntax']);
    await using beside = await editProject(broken, { reports_syntax: false });
    await beside.open('langgraph.json');
    await beside.change('langgraph.json', '{ "graphs": {');
    await beside.tell([{ path: beside.path('langgraph.json') }]);
    await beside.change('langgraph.json', '{ "grphs": {} }');
    const codes = await beside.diagnostics('langgraph.json', ({ length }) => length > 0);
    assert.deepEqual(codes.map(({ code }) => code).sort(), ['schema', 'unknown-key']);
  });

  it('offers fixes for misspelled names', async () => {
    await using project = await editProject({
      'langgraph.json': { graphs: { a: './agnt.ts:graph' }, node_vrsion: '22' },
      'agent.ts': agent,
    });
    await project.open('langgraph.json');
    await project.diagnostics('langgraph.json', (found) => found.length === 2);
    const [file] = await project.fixes('langgraph.json', { line: 2, character: 12 });
    assert.equal(file?.title, "Change to './agent.ts'");
    assert.equal(file?.isPreferred, true);
    assert.deepEqual(Object.values(file?.edit?.changes ?? {}), [
      [
        {
          range: { start: { line: 2, character: 10 }, end: { line: 2, character: 19 } },
          newText: './agent.ts',
        },
      ],
    ]);
    const [key] = await project.fixes('langgraph.json', { line: 4, character: 5 });
    assert.equal(key?.title, "Change to 'node_version'");
  });

  it('offers the graphs of the project where the file of one does not exist', async () => {
    await using project = await editProject({
      'langgraph.json': { graphs: { a: './nowhere/made.ts:graph' } },
      'src/flow.ts':
        "import { StateGraph } from '@langchain/langgraph';\nexport const flow = new StateGraph(S).compile();\n",
    });
    await project.open('langgraph.json');
    await project.diagnostics('langgraph.json', (found) => found.length === 1);
    const [found] = await project.fixes('langgraph.json', { line: 2, character: 12 });
    assert.equal(found?.title, "Change to './src/flow.ts:flow'");
    assert.deepEqual(Object.values(found?.edit?.changes ?? {}), [
      [
        {
          range: { start: { line: 2, character: 10 }, end: { line: 2, character: 33 } },
          newText: './src/flow.ts:flow',
        },
      ],
    ]);
  });

  it('creates an env file from its example', async () => {
    await using project = await editProject({
      'langgraph.json': { graphs: { a: './agent.ts:graph' }, env: '.env' },
      'agent.ts': agent,
      '.env.example': 'KEY=value\n',
    });
    await project.open('langgraph.json');
    await project.diagnostics('langgraph.json', (found) => found.length === 1);
    const [create] = await project.fixes('langgraph.json', { line: 4, character: 12 });
    assert.equal(create?.title, 'Create .env from .env.example');
    assert.match(JSON.stringify(create?.edit?.documentChanges), /"create".*KEY=value/);
  });

  it('shows a lens that creates a missing env file', async () => {
    await using project = await editProject({
      'langgraph.json': { graphs: { a: './agent.ts:graph' }, env: '.env' },
      'agent.ts': agent,
      '.env.example': 'KEY=value\n',
    });
    await project.open('langgraph.json');
    const [lens] = await project.lenses('langgraph.json');
    assert.equal(lens?.title, '$(new-file) Create .env from .env.example');
    assert.equal(lens?.line, 5);
    const edits: unknown[] = [];
    project.connection.onRequest(ApplyWorkspaceEditRequest.type, ({ edit }) => {
      edits.push(edit);
      return { applied: true };
    });
    const { command = '', arguments: args } = lens ?? {};
    await project.connection.sendRequest(ExecuteCommandRequest.type, { command, arguments: args });
    assert.match(JSON.stringify(edits), /"create".*\.env".*KEY=value/);
    await writeFile(project.path('.env'), 'KEY=1');
    assert.deepEqual(await project.lenses('langgraph.json'), []);
  });

  it('goes to the export of a graph, and back', async () => {
    const config = { graphs: { a: './agent.ts:graph', b: './agent.py:make' } };
    const python = 'import os\n\nasync def make(config):\n    return None\n';
    await using project = await editProject({
      'langgraph.json': config,
      'agent.ts': agent,
      'agent.py': python,
    });
    await project.open('langgraph.json');
    assert.deepEqual(await project.define('langgraph.json', { line: 2, character: 15 }), ['agent.ts:4:14']);
    assert.deepEqual(await project.define('langgraph.json', { line: 3, character: 15 }), ['agent.py:3:11']);
    await project.open('agent.ts');
    assert.deepEqual(await project.define('agent.ts', { line: 3, character: 15 }), ['langgraph.json:3:10']);
    assert.deepEqual(await project.define('agent.ts', { line: 2, character: 8 }), []);
  });

  it('shows Run, Debug and Deploy lenses on each graph and its export', async () => {
    const config = { graphs: { a: './agent.ts:graph', b: { path: './agent.ts:graph' } } };
    await using project = await editProject(
      { 'langgraph.json': config, 'agent.ts': agent },
      { run_command: 'run', debug_command: 'debug', deploy_command: 'deploy' },
    );
    await project.open('langgraph.json');
    // On Windows, URIs have the drive letter in lower case.
    const config_path = project.path('langgraph.json').replace(/^[A-Z]:/, (drive) => drive.toLowerCase());
    const args = (graph_id: string) => [{ config_path, graph_id }];
    assert.deepEqual(await project.lenses('langgraph.json'), [
      { line: 3, title: '$(play) Run', command: 'run', arguments: args('a') },
      { line: 3, title: '$(debug-alt) Debug', command: 'debug', arguments: args('a') },
      { line: 3, title: '$(cloud-upload) Deploy', command: 'deploy', arguments: args('a') },
      { line: 4, title: '$(play) Run', command: 'run', arguments: args('b') },
      { line: 4, title: '$(debug-alt) Debug', command: 'debug', arguments: args('b') },
      { line: 4, title: '$(cloud-upload) Deploy', command: 'deploy', arguments: args('b') },
    ]);
    await project.open('agent.ts');
    assert.deepEqual(await project.lenses('agent.ts'), [
      { line: 4, title: '$(play) Run a', command: 'run', arguments: args('a') },
      { line: 4, title: '$(debug-alt) Debug a', command: 'debug', arguments: args('a') },
      { line: 4, title: '$(cloud-upload) Deploy a', command: 'deploy', arguments: args('a') },
      { line: 4, title: '$(play) Run b', command: 'run', arguments: args('b') },
      { line: 4, title: '$(debug-alt) Debug b', command: 'debug', arguments: args('b') },
      { line: 4, title: '$(cloud-upload) Deploy b', command: 'deploy', arguments: args('b') },
    ]);
  });

  it('names the graphs in the lenses of a line that has several', async () => {
    const text = '{"graphs": {"a": "./agent.ts:graph", "b": "./agent.ts:graph"}}';
    await using project = await editProject(
      { 'langgraph.json': text, 'agent.ts': agent },
      { run_command: 'run' },
    );
    await project.open('langgraph.json');
    const titles = (await project.lenses('langgraph.json')).map(({ title }) => title);
    assert.deepEqual(titles, ['$(play) Run a', '$(play) Run b']);
  });

  it('shows where a graph fails to load, with the runtime’s message, until it loads again', async () => {
    await using project = await editProject({
      'langgraph.json': { graphs: { a: './agent.ts:graph' } },
      'agent.ts': agent,
    });
    const path = project.path('langgraph.json');
    const about = { language: 'node', language_version: '24', langgraph_version: '1', loader: 'tsx' };
    const error = {
      name: 'Error',
      message: 'Boom.',
      location: { file: project.path('agent.ts'), line: 3, column: 7 },
    };
    const failed = { status: 'failed' as const, graph_id: 'a', error };
    await project.tell([{ path, runtime: { state: 'ready', ...about, graphs: [failed] } }]);
    const [inSource] = await project.diagnostics('agent.ts', (found) => found.length === 1);
    assert.equal(inSource?.message, 'Boom.');
    assert.deepEqual(inSource?.range.start, { line: 2, character: 6 });
    const [inConfig] = await project.diagnostics('langgraph.json', (found) => found.length === 1);
    assert.equal(inConfig?.relatedInformation?.[0]?.location.range.start.line, 2);

    const loaded = { status: 'loaded' as const, graph_id: 'a', nodes: {} };
    await project.tell([{ path, runtime: { state: 'ready', ...about, graphs: [loaded] } }]);
    await project.diagnostics('agent.ts', (found) => found.length === 0);
    await project.diagnostics('langgraph.json', (found) => found.length === 0);
  });
});
