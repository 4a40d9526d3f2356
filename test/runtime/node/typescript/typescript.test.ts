import assert from 'node:assert/strict';
import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { node20 } from '../../../support/node20.ts';
import { node22 } from '../../../support/node22.ts';
import { graphProject, type LangGraphLine } from '../../../support/projects.ts';
import { RuntimeHost } from '../../../support/runtime/runtime-host.ts';

/** A module with a graph that writes what `source` evaluates to. */
const graphOf = (source: string, before = '') => `${before}
import { Annotation, StateGraph } from '@langchain/langgraph';
export const graph = new StateGraph(Annotation.Root({ value: Annotation<unknown>() }))
  .addNode('node', () => ({ value: ${source} }))
  .addEdge('__start__', 'node')
  .compile();
`;

/** Syntax of sources, as npm's dev server runs it. Each value is what the graph of the file writes. */
const CASES: Readonly<Record<string, { source: string; value: unknown; ours?: boolean }>> = {
  'type-of-package.ts': {
    source: graphOf(
      '((c?: RunnableConfig) => c === undefined)()',
      `import { RunnableConfig } from '@langchain/core/runnables';`,
    ),
    value: true,
  },
  'type-of-project.ts': {
    source: graphOf('thing.a', `import { Thing } from './lib/thing';\nconst thing: Thing = { a: 'typed' };`),
    value: 'typed',
  },
  'json.ts': { source: graphOf('data.name', `import data from './data.json';`), value: 'json' },
  'json-attribute.ts': {
    source: graphOf('data.name', `import data from './data.json' with { type: 'json' };`),
    value: 'json',
  },
  'paths.ts': { source: graphOf('word', `import { word } from '@/word';`), value: 'aliased' },
  'paths-exact.ts': { source: graphOf('word', `import { word } from 'the-word';`), value: 'aliased' },
  'paths-tilde.ts': { source: graphOf('fromIndex', `import { fromIndex } from '~/folder';`), value: 'index' },
  'base-url.ts': { source: graphOf('word', `import { word } from 'lib/word';`), value: 'aliased' },
  // tsx reads only the tsconfig.json of the folder in which it is started.
  'apps/inner/nearest.ts': {
    source: graphOf('word', `import { word } from '@inner/word.js';`),
    value: 'inner',
    ours: true,
  },
  'decorator.ts': {
    source: graphOf(
      'new Speaker().say()',
      `const loud = (_t: object, _k: string, d: PropertyDescriptor) => { const say = d.value; d.value = () => say() + '!'; };
class Speaker { @loud say() { return 'hey'; } }`,
    ),
    value: 'hey!',
  },
  // esbuild, and so tsx, writes no metadata.
  'metadata.ts': {
    source: graphOf(
      'types.join()',
      `const types: string[] = [];
// Decorators of the other files write theirs too.
Reflect.metadata = (key, value) => (_target, property) => { if (property === 'size') types.push(key + ' ' + value.name); };
const keep = (_t: object, _k: string) => {};
class Box { @keep size: number = 1; }
void Box;
declare global { namespace Reflect { let metadata: (key: string, value: { name: string }) => (target: object, property: string) => void; } }`,
    ),
    value: 'design:type Number',
    ours: true,
  },
  'namespace.ts': {
    source: graphOf('N.Inner.q', `namespace N { export namespace Inner { export const q = 5; } }`),
    value: 5,
  },
  'import-alias.ts': {
    source: graphOf('q', `namespace N { export const q = 6; }\nimport q = N.q;`),
    value: 6,
  },
  'enum.ts': { source: graphOf('Answer.Yes', `enum Answer { No = 41, Yes = No + 1 }`), value: 42 },
  'const-enum.ts': {
    source: graphOf('[Own.A, Other.B]', `import { Other } from './lib/enums';\nconst enum Own { A = 'a' }`),
    value: ['a', 'b'],
  },
  'property.ts': {
    source: graphOf('new Box(7).value', `class Box { constructor(readonly value: number) {} }`),
    value: 7,
  },
  'accessor.ts': { source: graphOf('new Box().value', `class Box { accessor value = 8; }`), value: 8 },
  'using.ts': {
    source: graphOf(
      'log.join()',
      `const log: string[] = [];
(Symbol as { dispose?: symbol }).dispose ??= Symbol('dispose');
{ using _open = { [Symbol.dispose]: () => void log.push('closed') }; log.push('open'); }`,
    ),
    value: 'open,closed',
  },
  'satisfies.ts': {
    source: graphOf('(<const T,>(it: T) => it)({ a: 9 } satisfies Thing2).a', `type Thing2 = { a: number };`),
    value: 9,
  },
  'js-extension.ts': { source: graphOf('word', `import { word } from './lib/word.js';`), value: 'aliased' },
  'no-extension.ts': { source: graphOf('word', `import { word } from './lib/word';`), value: 'aliased' },
  'folder.ts': { source: graphOf('fromIndex', `import { fromIndex } from './lib/folder';`), value: 'index' },
  'view.tsx': {
    source: graphOf('<b>x</b>.type', `import React from './lib/react';`),
    value: 'b',
  },
  'common.cts': {
    source: `import path = require('node:path');
import { Annotation, StateGraph } from '@langchain/langgraph';
const later = async () => (await import('./lib/module.mjs')).word;
const graph = new StateGraph(Annotation.Root({ value: Annotation<unknown>() }))
  .addNode('node', async () => ({ value: [path.basename('/a/b'), await later()] }))
  .addEdge('__start__', 'node')
  .compile();
export = { graph };
`,
    value: ['b', 'module'],
  },
  'module.mts': { source: graphOf('word', `import { word } from './lib/module.mjs';`), value: 'module' },
  'imports-common.ts': {
    source: graphOf('common.word', `import common from './lib/common.cjs';`),
    value: 'common',
  },
  'apps/web/workspace.ts': {
    source: graphOf(
      '[shared, deep]',
      `import { shared } from '@test/shared';\nimport { deep } from '@test/shared/deep';`,
    ),
    value: ['shared', 'deep'],
  },
};

const FILES: Readonly<Record<string, string>> = {
  'tsconfig.json': `{
    // Comments and a trailing comma, which tsc accepts.
    "extends": "./config/base.json",
    "compilerOptions": { "jsx": "react", "experimentalDecorators": true, "emitDecoratorMetadata": true, },
  }`,
  'config/base.json': JSON.stringify({ extends: './paths.json', compilerOptions: { target: 'es2022' } }),
  'config/paths.json': JSON.stringify({
    compilerOptions: {
      module: 'esnext',
      moduleResolution: 'bundler',
      resolveJsonModule: true,
      baseUrl: '..',
      paths: { '@/*': ['lib/*'], '~/*': ['nowhere/*', './lib/*'], 'the-word': ['lib/word.ts'] },
    },
  }),
  'apps/inner/tsconfig.json': JSON.stringify({ compilerOptions: { paths: { '@inner/*': ['./lib/*'] } } }),
  'apps/inner/lib/word.ts': 'export const word: string = "inner";\n',
  'data.json': '{ "name": "json", "not-a-name": 1 }',
  'lib/thing.ts': 'export interface Thing { a: string }\n',
  'lib/word.ts': 'export const word: string = "aliased";\n',
  'lib/folder/index.ts': 'export const fromIndex: string = "index";\n',
  'lib/enums.ts': 'export const enum Other { A, B = "b" }\n',
  'lib/react.ts': 'export default { createElement: (type: string) => ({ type }) };\n',
  'lib/module.mts': 'export const word: string = "module";\n',
  'lib/common.cts': 'const word: string = "common";\nexport = { word };\n',
  'packages/shared/package.json': JSON.stringify({
    name: '@test/shared',
    type: 'module',
    exports: { '.': './src/index.ts', './*': './src/*.js' },
  }),
  'packages/shared/src/index.ts': 'import { Kind } from "./kind";\nexport const shared: Kind = "shared";\n',
  'packages/shared/src/kind.ts': 'export type Kind = string;\n',
  'packages/shared/src/deep.ts': 'export const deep: string = "deep";\n',
};

describe('TypeScript', () => {
  const cases = Object.entries(CASES);
  for (const [how, line, node] of [
    ['without tsx on Node 24', 'langgraph-1.4', undefined],
    ['without tsx on Node 22', 'langgraph-1.4', node22],
    ['without tsx on Node 20', 'langgraph-1.4', node20],
    ['with tsx on Node 24', 'langgraph-1.7', undefined],
    ['with tsx on Node 20', 'langgraph-1.7', node20],
  ] as const satisfies readonly (readonly [string, LangGraphLine, (() => Promise<string>) | undefined])[]) {
    it(`runs as npm's dev server runs it, ${how}`, async () => {
      const isOurs = line === 'langgraph-1.4';
      const chosen = cases.filter(([, { ours }]) => isOurs || ours !== true);
      await using project = await graphProject({
        line,
        empty: true,
        files: {
          ...FILES,
          ...Object.fromEntries(cases.map(([file, { source }]) => [file, source])),
          'langgraph.json': JSON.stringify({
            graphs: Object.fromEntries(chosen.map(([file]) => [file, `./${file}:graph`])),
          }),
          'package.json': JSON.stringify({ private: true, type: 'module' }),
        },
      });
      // Workspaces link their packages in the same way.
      const scope = path.join(project.folder, 'apps/web/node_modules/@test');
      await mkdir(scope, { recursive: true });
      await symlink(path.join(project.folder, 'packages/shared'), path.join(scope, 'shared'), 'junction');
      await using host = new RuntimeHost({ project, ...(node === undefined ? {} : { node: await node() }) });
      const { graphs, loader } = await host.initialize();
      assert.match(loader, isOurs ? /^sucrase on Node/ : /^tsx 4/);
      const failed = graphs.flatMap((graph) => (graph.status === 'failed' ? [graph.error.message] : []));
      assert.deepEqual(failed, []);
      const values = await Promise.all(
        chosen.map(async ([file]) => {
          const run = await host.run(file, { value: null });
          return [file, JSON.parse(run.state?.values ?? '{}').value ?? run.error?.message];
        }),
      );
      assert.deepEqual(
        Object.fromEntries(values),
        Object.fromEntries(chosen.map(([file, { value }]) => [file, value])),
      );
    });
  }
});
