import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { projectRoot } from '../support/cache.ts';
import { cli } from '../support/cli.ts';
import { dataFolder } from '../support/data-folder.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const brokenAgents = path.join(projectRoot, 'test/fixtures/broken-agents');

describe('agent-harbor check', function () {
  this.timeout(60_000);

  it('prints problems as file:line:column and exits with 1', async () => {
    const { code, stdout, stderr } = await cli(['check'], { cwd: brokenAgents });
    assert.equal(code, 1);
    assert.deepEqual(stdout.trim().split('\n'), [
      'langgraph.json:3:17: error: File not found: ./no-such-file.mjs. [file-missing]',
      "langgraph.json:4:33: error: The export 'graph' of ./no-graph.mjs is a string, not a graph: export a compiled graph, a StateGraph, or a function that returns one. [not-a-graph]",
      "langgraph.json:5:34: error: ./no-graph.mjs has no export 'agent'. It exports 'graph'. [export-missing]",
      'langgraph.json:6:29: error: ./throws.mjs has no exports. [export-missing]',
    ]);
    assert.equal(stderr.trim(), 'langgraph.json: 4 errors, 0 warnings.');
  });

  it('prints one line of JSON per problem with --json', async () => {
    const { stdout, stderr } = await cli(['check', '--json'], { cwd: brokenAgents });
    const [first] = stdout.trim().split('\n');
    assert.deepEqual(JSON.parse(first ?? ''), {
      file: path.join(brokenAgents, 'langgraph.json'),
      line: 3,
      column: 17,
      end_line: 3,
      end_column: 35,
      severity: 'error',
      code: 'file-missing',
      message: 'File not found: ./no-such-file.mjs.',
    });
    assert.equal(stderr, '');
  });

  it('exits with 0 without problems or with only warnings', async () => {
    await using folder = await temporaryFolder();
    const config = path.join(folder.path, 'langgraph.json');
    await writeFile(path.join(folder.path, 'agent.mjs'), 'export const graph = make();');
    await writeFile(config, '{ "graphs": { "a": "./agent.mjs:graph" } }');
    const fine = await cli(['check', '--config', config]);
    assert.deepEqual([fine.code, fine.stdout], [0, '']);
    assert.match(fine.stderr, /: no problems found; graphs not loaded \(--load\)\.$/m);
    await writeFile(config, '{ "graphs": { "a": "./agent.mjs:graph" }, "node_vrsion": "22" }');
    const warned = await cli(['check', '--config', config]);
    assert.equal(warned.code, 0);
    assert.match((await cli(['check', '--config', folder.path])).stdout, /:1:43: warning/, 'by its folder');
    assert.match(warned.stdout, /:1:43: warning: .*Did you mean 'node_version'\? \[unknown-key\]/);
  });

  it('finds syntax errors in the sources of graphs, without running them', async () => {
    await using folder = await temporaryFolder();
    const write = (name: string, text: string) => writeFile(path.join(folder.path, name), text);
    await write(
      'fine.ts',
      'enum A { B }\nclass C { constructor(private x: A) {} }\nexport const graph = make();\n',
    );
    await write('broken.ts', 'export const graph = make();\nconst approve = = async () => {};\n');
    await write('broken.py', 'graph = make()\ndef approve(:\n    pass\n');
    await write('runs.py', "open('ran', 'w')\ngraph = make()\n");
    const graphs = {
      fine: './fine.ts:graph',
      ts: './broken.ts:graph',
      py: './broken.py:graph',
      runs: './runs.py:graph',
    };
    await write('langgraph.json', JSON.stringify({ graphs, dependencies: ['.'] }));
    const { code, stdout } = await cli(['check'], {
      cwd: folder.path,
      environment: { VIRTUAL_ENV: folder.path },
    });
    assert.equal(code, 1);
    assert.match(
      stdout,
      /^broken\.py:2:\d+: error: SyntaxError: .* \[syntax\]\nbroken\.ts:2:17: error: SyntaxError: Expression expected \[syntax\]\n$/,
    );
    assert.ok(!existsSync(path.join(folder.path, 'ran')));
  });

  it('reports a missing langgraph.json', async () => {
    await using folder = await temporaryFolder();
    const { code, stderr } = await cli(['check'], { cwd: folder.path });
    assert.equal(code, 1);
    assert.match(
      stderr,
      /File not found: .*langgraph\.json\. Pass the path of your langgraph\.json with --config/,
    );
  });

  it('loads the graphs with --load and reports the source line where one fails', async () => {
    await using data = await dataFolder();
    await using folder = await temporaryFolder();
    await symlink(path.join(projectRoot, 'node_modules'), path.join(folder.path, 'node_modules'), 'junction');
    await writeFile(
      path.join(folder.path, 'agent.mjs'),
      "export const graph = make();\nfunction make() {\n  throw new Error('Not today.');\n}\n",
    );
    await writeFile(path.join(folder.path, 'langgraph.json'), '{ "graphs": { "a": "./agent.mjs:graph" } }');
    const { code, stdout } = await cli(['check', '--load', '--data-dir', data.path], { cwd: folder.path });
    assert.equal(code, 1);
    assert.match(
      stdout,
      /^langgraph\.json:1:21: error: agent\.mjs could not be loaded: Error: Not today\. \[load\]$/m,
    );
    assert.match(stdout, /^agent\.mjs:3:9: error: .*Not today\. \[load\]$/m);
  });

  it('reports where an app and auth fail to load, and names graphs that only a run creates', async () => {
    await using data = await dataFolder();
    await using folder = await temporaryFolder();
    await symlink(path.join(projectRoot, 'node_modules'), path.join(folder.path, 'node_modules'), 'junction');
    const files = {
      'agent.mjs': `
import { Annotation, START, StateGraph } from '@langchain/langgraph';
export const graph = new StateGraph(Annotation.Root({})).addNode('a', () => ({})).addEdge(START, 'a').compile();
export const make = () => graph;`,
      'app.mjs': "throw new Error('No app today.');\nexport const app = {};\n",
      'auth.mjs': "throw new Error('No auth today.');\nexport const auth = {};\n",
      'langgraph.json': `{
  "graphs": { "a": "./agent.mjs:graph", "made": "./agent.mjs:make" },
  "auth": { "path": "./auth.mjs:auth" },
  "http": { "app": "./app.mjs:app" }
}`,
    };
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder.path, name), text);
    const { code, stdout, stderr } = await cli(['check', '--load', '--data-dir', data.path], {
      cwd: folder.path,
    });
    assert.equal(code, 1);
    assert.match(stderr, /: 2 errors, 0 warnings; functions that make a graph were not called: made\.$/m);
    assert.match(stdout, /^auth\.mjs:1:7: error: .*No auth today\. \[load\]$/m);
    assert.match(stdout, /^app\.mjs:1:7: error: .*No app today\. \[load\]$/m);
  });
});
