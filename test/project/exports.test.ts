import assert from 'node:assert/strict';
import { javascriptExports } from '../../src/project/exports/javascript-exports.ts';
import { pythonExports } from '../../src/project/exports/python-exports.ts';

const names = (text: string, file = 'a.ts') => [...javascriptExports(file, text).names.keys()];

describe('the exports of a TypeScript or JavaScript module', () => {
  it('are its declarations, lists and default, without types', () => {
    assert.deepEqual(
      names(`
        export const graph: Compiled<State> = builder.compile(), second = 2;
        export async function make(config: Config) {}
        export class Agent {}
        export enum Mode { A }
        export const { p, q: r, ...rest } = parts;
        export default new StateGraph<State>({});
        const local = 1;
        export { local as agent, make as again };
        export * as nested from './nested.ts';
        export type Shape = string;
        export interface Other {}
        const hidden = 1;
      `),
      ['graph', 'second', 'make', 'Agent', 'Mode', 'p', 'r', 'rest', 'default', 'agent', 'again', 'nested'],
    );
  });

  it('have the positions of their names', () => {
    const text = 'const a = 1;\nexport const graph = a;\n';
    const { names: found } = javascriptExports('a.ts', text);
    const graph = found.get('graph');
    assert.equal(text.slice(graph?.start, graph?.end), 'graph');
  });

  it('are found in JSX and in CommonJS', () => {
    assert.deepEqual(names('export const a = <div>{x}</div>;', 'a.tsx'), ['a']);
    const common = javascriptExports(
      'a.cjs',
      'exports.a = 1;\nmodule.exports.b = make();\nmodule.exports = { c, d: 1 };',
    );
    assert.deepEqual([...common.names.keys()], ['a', 'b', 'default', 'c', 'd']);
    assert.equal(common.isComplete, false);
  });

  it('are known not to be graphs when they are literals or classes', () => {
    const { names: found } = javascriptExports(
      'a.ts',
      'export const n = 3; export const s = `x`; export class K {}\nconst l = [1]; export { l }; let v = 1; export { v }; export const g = make();',
    );
    assert.deepEqual(Object.fromEntries([...found].map(([name, { notAGraph }]) => [name, notAGraph])), {
      n: 'a number',
      s: 'a string',
      K: 'a class',
      l: 'an array',
      v: undefined,
      g: undefined,
    });
  });

  it('are marked as incomplete when exports are dynamic', () => {
    assert.equal(javascriptExports('a.ts', 'export const a = 1;').isComplete, true);
    assert.equal(javascriptExports('a.ts', 'export const a = ;;{').isComplete, false);
    assert.deepEqual(javascriptExports('a.ts', "export * from './b.ts';").from, ['./b.ts']);
  });
});

describe('the names of a Python module', () => {
  it('are its assignments, functions, classes and imports', () => {
    const { names: found, isComplete } = pythonExports(`
import os.path, numpy as np
from a.b import c, d as e
graph = builder.compile()
typed: int = 3
declared: int
one, (two, three) = parts
x = y = 1
def make(config):
    inner = 1
async def amake(): ...
@decorated
def wrapped(): pass
class Agent: pass
if True:
    branch = 1
else:
    branch = other = 2
with open("f") as handle:
    inside = 1
thing.attribute = 3
`);
    assert.equal(isComplete, true);
    assert.deepEqual(
      [...found.keys()].sort(),
      [
        ...['Agent', 'amake', 'branch', 'c', 'e', 'graph', 'handle', 'inside', 'make', 'np', 'one', 'os'],
        ...['other', 'three', 'two', 'typed', 'wrapped', 'x', 'y'],
      ].sort(),
    );
  });

  it('are marked as incomplete when exports are dynamic', () => {
    assert.equal(pythonExports('from a import *').isComplete, false);
    assert.equal(pythonExports('def __getattr__(name): ...').isComplete, false);
    assert.equal(pythonExports('def broken(:').isComplete, false);
  });

  it('are known not to be graphs when they are literals', () => {
    const { names: found } = pythonExports('a = 1\nb = "x"\nc = make()\n');
    assert.deepEqual(
      [...found.values()].map(({ notAGraph }) => notAGraph),
      ['a number', 'a string', undefined],
    );
  });
});
