import assert from 'node:assert/strict';
import path from 'node:path';
import type { FailedGraph, GraphStatus } from '../../../../src/runtime/protocol/protocol.ts';
import { node20 } from '../../../support/node20.ts';
import { type GraphProjectOptions, graphProject, langgraphLines } from '../../../support/projects.ts';
import { RuntimeHost } from '../../../support/runtime/runtime-host.ts';

/** A graph that writes what `source` evaluates to. */
const graphOf = (source: string) => `
import { Annotation, StateGraph } from '@langchain/langgraph';
export const graph = new StateGraph(Annotation.Root({ value: Annotation() }))
  .addNode('node', () => ({ value: ${source} }))
  .addEdge('__start__', 'node')
  .compile();
`;

/** Loads files as a project. The ID of each graph is the path of its file, unless `graphs` is given. */
async function load(
  files: Record<string, string>,
  graphs: Record<string, string> = {},
  options: Partial<GraphProjectOptions> & { node?: string; packageType?: string } = {},
) {
  const named = Object.fromEntries(
    Object.keys(files)
      .filter((file) => !file.endsWith('.json'))
      .map((file) => [file, `./${file}:graph`]),
  );
  const project = await graphProject({
    line: 'langgraph-1.4',
    empty: true,
    ...options,
    files: {
      ...files,
      'langgraph.json': JSON.stringify({ graphs: Object.keys(graphs).length > 0 ? graphs : named }),
      'package.json': JSON.stringify({ private: true, type: options.packageType ?? 'module' }),
    },
  });
  const host = new RuntimeHost({ project, ...(options.node === undefined ? {} : { node: options.node }) });
  const result = await host.initialize();
  return {
    host,
    folder: project.folder,
    loader: result.loader,
    status: (id: string): GraphStatus | undefined => result.graphs.find(({ graph_id }) => graph_id === id),
    error(id: string): FailedGraph['error'] {
      const status = this.status(id);
      assert.equal(status?.status, 'failed', `${id} loaded`);
      return (status as FailedGraph).error;
    },
    async value(id: string): Promise<unknown> {
      const run = await host.run(id, { value: 'input' });
      assert.equal(run.status, 'success', run.error?.stack);
      return JSON.parse(run.state?.values ?? '').value;
    },
    async [Symbol.asyncDispose]() {
      await host[Symbol.asyncDispose]();
      await project[Symbol.asyncDispose]();
    },
  };
}

describe('loading graphs', () => {
  for (const line of langgraphLines) {
    it(`loads every way to export one on ${line}`, async () => {
      await using project = await graphProject({ line });
      await using host = new RuntimeHost({ project });
      const result = await host.initialize();
      assert.deepEqual(
        result.graphs.filter(({ status }) => status === 'failed'),
        [],
      );
      assert.match(result.langgraph_version, new RegExp(`^${line.replace('langgraph-', '')}\\.`));
      assert.equal(result.language_version, process.versions.node);
      assert.match(result.loader, line === 'langgraph-1.7' ? /^tsx 4/ : /^sucrase on Node 24/);
      const oneNode = result.graphs.find(({ graph_id }) => graph_id === 'one_node');
      assert.deepEqual(oneNode, {
        status: 'loaded',
        graph_id: 'one_node',
        description: 'Adds one.',
        location: { file: path.join(project.folder, 'basic.ts'), line: 6 },
        nodes: {},
      });
      const made = result.graphs.filter((graph) => graph.status === 'loaded' && graph.is_factory);
      assert.deepEqual(
        made.map(({ graph_id }) => graph_id),
        ['factory', 'async_factory'],
      );
      for (const [id, text] of [
        ['default_export', 'Default, Ada'],
        ['later', 'Later, Ada'],
        ['factory', 'Hello, Ada'],
      ] as const) {
        assert.equal(JSON.parse((await host.run(id, { name: 'Ada' })).state?.values ?? '').text, text);
      }
      assert.equal((await host.run('builder', { value: 4 })).state?.values, '{"value":8}');
      assert.equal((await host.run('common', { value: 1 })).state?.values, '{"value":11}');
    });
  }

  it('gives CommonJS graphs the CommonJS LangGraph, in one process with ES modules', async () => {
    await using project = await graphProject({ line: 'langgraph-1.7' });
    await using host = new RuntimeHost({ project });
    await host.initialize('common', 'approval');
    const sent = await host.run('common', null, { command: { update: { value: 5 }, goto: 'add' } });
    assert.equal(sent.status, 'success', sent.error?.stack);
    const stopped = await host.run('approval', { topic: 'x' });
    const resumed = await host.run('approval', null, {
      thread_id: stopped.threadId,
      command: { resume: 'y' },
    });
    assert.equal(resumed.status, 'success', resumed.error?.stack);
  });

  for (const [how, line, node] of [
    ['the user’s own tsx', 'langgraph-1.7', undefined],
    ['the user’s own tsx on Node 20', 'langgraph-1.7', '20'],
    ['sucrase', 'langgraph-1.4', undefined],
    ['sucrase on Node 20', 'langgraph-1.4', '20'],
  ] as const) {
    it(`reports where TypeScript is not valid with ${how}`, async () => {
      const options = { line, ...(node === undefined ? {} : { node: await node20() }) };
      await using loaded = await load(
        {
          'wrong.ts': 'const a: number = 1;\nexport const graph: number = ;\n',
          'throws.ts': 'interface A { b: string }\n\nexport const a: A = JSON.parse("{");\n',
          'imports-wrong.ts': "export { graph } from './wrong.js';\n",
          'decorated.ts':
            'const loud = () => {};\nclass A { @loud say() { return ; } ]\nexport const graph = A;\n',
          'alias.ts': "import { word } from '@app/gone';\nexport const graph = word;\n",
          'tsconfig.json': JSON.stringify({ compilerOptions: { paths: { '@app/*': ['./lib/*'] } } }),
        },
        {},
        options,
      );
      const wrong = path.join(loaded.folder, 'wrong.ts');
      assert.match(loaded.error('wrong.ts').message, /^.*wrong\.ts could not be loaded: SyntaxError: /);
      assert.deepEqual(loaded.error('wrong.ts').location, { file: wrong, line: 2, column: 30 });
      assert.deepEqual(loaded.error('imports-wrong.ts').location?.file, wrong);
      assert.equal(loaded.error('throws.ts').location?.line, 3);
      assert.equal(loaded.error('decorated.ts').location?.line, 2);
      const alias = loaded.error('alias.ts');
      assert.equal(alias.location?.line, 1);
      assert.ok(
        alias.message.endsWith(`: '@app/*' in ${path.join(loaded.folder, 'tsconfig.json')} matches no file`),
        alias.message,
      );
    });
  }

  it('loads TypeScript of a CommonJS project', async () => {
    const files = { 'graph.ts': graphOf("'common'"), 'module.mts': graphOf("'module'") };
    for (const [line, node] of [
      ['langgraph-1.7', undefined],
      ['langgraph-1.4', undefined],
      ['langgraph-1.4', await node20()],
    ] as const) {
      await using loaded = await load(
        files,
        {},
        { line, packageType: 'commonjs', ...(node === undefined ? {} : { node }) },
      );
      assert.equal(await loaded.value('graph.ts'), 'common');
      assert.equal(await loaded.value('module.mts'), 'module');
    }
  });

  it('reports errors in one sentence with the location, and loads the other graphs', async () => {
    await using loaded = await load(
      {
        'good.js': graphOf('1'),
        'syntax.js': "import './good.js';\nexport const graph = ;\n",
        'deep.js': "import './syntax.js';\nexport const graph = 1;\n",
        'syntax.cjs': 'exports.graph = {;\n',
        'near-module.js': "\nimport x from './goood.js';\nexport const graph = x;\n",
        'no-module.js': "\nimport x from './gone.js';\nexport const graph = x;\n",
        'no-package.js': "import x from 'not-installed-here';\nexport const graph = x;\n",
        'no-subpath.js': "import '@langchain/core/nowhere';\nexport const graph = 1;\n",
        'no-alias.js': "export const graph = 1;\nimport '#nowhere';\n",
        'no-name.js': "import { nope } from './good.js';\nexport const graph = nope;\n",
        'throws.js': "export const a = 1;\nthrow new TypeError('No key given');\n",
        'throws-text.js': "throw 'just text';\n",
        'values.js':
          'export const record = {}; export class Agent {} export const number = 3; export const nothing = undefined; export const map = new Map();\n',
      },
      {
        good: './good.js:graph',
        syntax: './syntax.js:graph',
        deep: './deep.js:graph',
        common: './syntax.cjs:graph',
        'near-module': './near-module.js:graph',
        'no-module': './no-module.js:graph',
        'no-package': './no-package.js:graph',
        'no-subpath': './no-subpath.js:graph',
        'no-alias': './no-alias.js:graph',
        'no-name': './no-name.js:graph',
        throws: './throws.js:graph',
        'throws-text': './throws-text.js:graph',
        gone: './gone.js:graph',
        folder: '.:graph',
        record: './values.js:record',
        class: './values.js:Agent',
        number: './values.js:number',
        nothing: './values.js:nothing',
        map: './values.js:map',
        'no-export': './values.js:agent',
        'no-default': './values.js',
      },
    );
    const at = (name: string) => path.join(loaded.folder, name);
    const core = at('node_modules/@langchain/core/package.json');
    const expected: Record<string, [message: string, location?: object]> = {
      syntax: [
        `${at('syntax.js')} could not be loaded: SyntaxError: Unexpected token ';'`,
        { file: at('syntax.js'), line: 2, column: 22 },
      ],
      deep: [
        `${at('deep.js')} could not be loaded: SyntaxError: Unexpected token ';' (${at('syntax.js')}:2)`,
        { file: at('syntax.js'), line: 2, column: 22 },
      ],
      common: [
        `${at('syntax.cjs')} could not be loaded: SyntaxError: Unexpected token ';'`,
        { file: at('syntax.cjs'), line: 1, column: 18 },
      ],
      'near-module': [
        `${at('near-module.js')} could not be loaded: Cannot find module '${at('goood.js')}' imported from ${at('near-module.js')}. Did you mean 'good.js'?`,
        { file: at('near-module.js'), line: 2 },
      ],
      'no-module': [
        `${at('no-module.js')} could not be loaded: Cannot find module '${at('gone.js')}' imported from ${at('no-module.js')}`,
        { file: at('no-module.js'), line: 2 },
      ],
      'no-package': [
        `${at('no-package.js')} could not be loaded: Cannot find package 'not-installed-here' imported from ${at('no-package.js')}`,
        { file: at('no-package.js'), line: 1 },
      ],
      'no-name': [
        `${at('no-name.js')} could not be loaded: SyntaxError: The requested module './good.js' does not provide an export named 'nope'`,
        { file: at('no-name.js'), line: 1, column: 10 },
      ],
      'no-subpath': [
        `${at('no-subpath.js')} could not be loaded: Error: Package subpath './nowhere' is not defined by "exports" in ${core} imported from ${at('no-subpath.js')}`,
        { file: at('no-subpath.js'), line: 1 },
      ],
      'no-alias': [
        `${at('no-alias.js')} could not be loaded: TypeError: Package import specifier "#nowhere" is not defined in package ${at('package.json')} imported from ${at('no-alias.js')}`,
        { file: at('no-alias.js'), line: 2 },
      ],
      throws: [
        `${at('throws.js')} could not be loaded: TypeError: No key given`,
        { file: at('throws.js'), line: 2, column: 7 },
      ],
      'throws-text': [`${at('throws-text.js')} could not be loaded: it threw just text`],
      gone: [`The file ${at('gone.js')} does not exist.`],
      folder: [`${loaded.folder} is a folder, not a module.`],
      'no-export': [
        `${at('values.js')} has no export 'agent'. It exports 'Agent', 'map', 'nothing', 'number', 'record'.`,
      ],
      'no-default': [
        `${at('values.js')} has no export 'default'. It exports 'Agent', 'map', 'nothing', 'number', 'record'.`,
      ],
    };
    for (const [id, [message, location]] of Object.entries(expected)) {
      assert.equal(loaded.error(id).message, message);
      assert.deepEqual(loaded.error(id).location, location, id);
    }
    for (const [id, what] of [
      ['record', 'a plain object'],
      ['class', 'the class Agent'],
      ['number', 'a number'],
      ['nothing', 'undefined'],
      ['map', 'an object of class Map'],
    ] as const) {
      const { message } = loaded.error(id);
      assert.ok(message.includes(`is ${what}, not a graph: export a compiled graph`), message);
    }
    assert.equal(await loaded.value('good'), 1);
    const run = await loaded.host.run('throws', {});
    assert.equal(run.status, 'error');
    assert.match(run.error?.message ?? '', /No key given/);
  });

  it('reports that LangGraph is not installed', async () => {
    await using project = await graphProject({
      line: 'langgraph-1.4',
      empty: true,
      files: {
        'bare/graph.js': 'export const graph = { lg_is_pregel: true, stream() {} };\n',
        'bare/package.json': '{"type":"module"}',
        'langgraph.json': JSON.stringify({ graphs: { bare: './graph.js:graph' } }),
      },
    });
    await using outside = await graphProject({ line: 'langgraph-1.4', empty: true });
    const { rename, rm } = await import('node:fs/promises');
    await rm(path.join(outside.folder, 'node_modules'));
    await rename(path.join(project.folder, 'bare'), path.join(outside.folder, 'bare'));
    await using host = new RuntimeHost({
      project: { ...outside, folder: path.join(outside.folder, 'bare'), graphs: project.graphs },
    });
    const result = await host.initialize();
    assert.equal(result.langgraph_version, 'not installed');
    const [graph] = result.graphs;
    assert.match(
      graph?.status === 'failed' ? graph.error.message : '',
      /@langchain\/langgraph is not installed/,
    );
  });

  it('reports a factory that does not return a graph', async () => {
    await using loaded = await load(
      {
        'factory.js':
          'export const graph = () => ({ answer: 42 });\nexport const throws = () => { throw new Error("no"); };\n',
      },
      { factory: './factory.js:graph', throws: './factory.js:throws' },
    );
    const run = await loaded.host.run('factory', {});
    assert.match(
      run.error?.message ?? '',
      /^The return value of export 'graph' of .*factory\.js is a plain object/,
    );
    assert.equal((await loaded.host.run('throws', {})).error?.message, 'no');
  });

  it('refuses to put an item whose value is not an object', async () => {
    await using loaded = await load({
      'texts.js': `
import { Annotation, StateGraph } from '@langchain/langgraph';
export const graph = new StateGraph(Annotation.Root({ value: Annotation() }))
  .addNode('node', async (state, config) => {
    await config.store.put(['kept'], 'key', { value: 1 });
    await config.store.put(['kept'], 'key', state.value);
    return {};
  })
  .addEdge('__start__', 'node')
  .compile();
`,
    });
    for (const value of ['a text', ['a list']]) {
      const refused = await loaded.host.run('texts.js', { value });
      assert.match(refused.error?.message ?? '', /The value of the item 'key' must be an object/);
    }
    const kept = () => host(loaded).items.batch([{ op: 'get', namespace: ['kept'], key: 'key' }]);
    assert.notDeepEqual(kept(), [{ op: 'get', item: null }], 'the item is still there');
    assert.equal((await loaded.host.run('texts.js', { value: null })).status, 'success');
    assert.deepEqual(kept(), [{ op: 'get', item: null }], 'null deletes it');
  });

  it('replaces the graph’s checkpointer and store', async () => {
    await using loaded = await load({
      'own.js': `
import { Annotation, InMemoryStore, MemorySaver, StateGraph } from '@langchain/langgraph';
const child = (checkpointer) => new StateGraph(Annotation.Root({ count: Annotation({ reducer: (a, b) => a + b, default: () => 0 }), value: Annotation() }))
  .addNode('inner', ({ count }) => ({ count: 1, value: count + 1 }))
  .addEdge('__start__', 'inner')
  .compile({ checkpointer });
const remembering = child(true);
const forgetting = child(false);
export const graph = new StateGraph(Annotation.Root({ value: Annotation(), seen: Annotation() }))
  .addNode('node', async (state, config) => {
    await config.store.put(['kept'], 'key', { value: 1 });
    const [a, b] = [await remembering.invoke({}), await forgetting.invoke({})];
    return { value: a.value, seen: b.value };
  })
  .addEdge('__start__', 'node')
  .compile({ checkpointer: new MemorySaver(), store: new InMemoryStore() });
`,
    });
    const first = await loaded.host.run('own.js', { value: 0 });
    assert.equal(first.status, 'success', first.error?.stack);
    const second = await loaded.host.run('own.js', { value: 0 }, { thread_id: first.threadId });
    assert.deepEqual(JSON.parse(second.state?.values ?? ''), { value: 2, seen: 1 });
    assert.ok(host(loaded).checkpoints.get(first.threadId) !== null);
    const { items } = host(loaded);
    const [found] = items.batch([{ op: 'get', namespace: ['kept'], key: 'key' }]);
    assert.deepEqual(found?.op === 'get' && found.item?.value, { value: 1 });
  });
});

function host(loaded: { host: RuntimeHost }): RuntimeHost {
  return loaded.host;
}
