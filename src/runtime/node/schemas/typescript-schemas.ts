/** A worker that reads the schemas of graphs from their TypeScript types, with the project's own TypeScript. */
import { createRequire } from 'node:module';
import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { TypeScript } from '../typescript/typescript-api.ts';
import type { DerivedSchemas } from './annotation-schemas.ts';
import { TypeSchemas } from './type-to-schema.ts';

export interface TypedGraphs {
  /** Absolute path of the project's `typescript`. */
  readonly typescript: string;
  /** Graphs whose modules are in one folder. */
  readonly graphs: readonly { graphId: string; file: string; exportName: string }[];
}

/** The types of whatever can be exported as a graph: a compiled graph, a builder, a function that returns one. */
const TYPES = `
import type { StateDefinition, StateType, UpdateType } from '@langchain/langgraph';
type Made<T> = T extends (...args: any[]) => infer Result ? Awaited<Result> : Awaited<T>;
type Compiled<T> = Made<T> extends infer M ? (M extends { compile(...args: any[]): infer Result } ? Result : M) : never;
type Definition<T> = T extends StateDefinition ? T : never;
type Whole<T> = 0 extends 1 & T ? never : T;
type Input<T> = Whole<
  T extends { builder: { _inputDefinition: infer I } } ? UpdateType<Definition<I>>
  : T extends { '~InputType': infer I } ? I : never>;
type Output<T> = Whole<
  T extends { builder: { _outputDefinition: infer O } } ? StateType<Definition<O>>
  : T extends { '~OutputType': infer O } ? O : never>;
type State<T> = Whole<
  T extends { builder: { nodes: Record<any, { runnable: { invoke(input: infer S, ...rest: any[]): any } }> } }
    ? S : never>;
type Context<T> = Whole<
  T extends { builder: { _configSchema?: infer C } } ? StateType<Definition<Exclude<C, undefined>>> : never>;
`;

const KINDS = { input: 'Input', output: 'Output', state: 'State', context: 'Context' } as const;

function readSchemas({ typescript, graphs }: TypedGraphs): [string, DerivedSchemas][] {
  const [first] = graphs;
  if (first === undefined) return [];
  const ts: TypeScript = createRequire(first.file)(typescript);
  const folder = path.dirname(first.file);
  const reader = path.join(folder, '__agent_harbor_types__.ts').replaceAll('\\', '/');
  const text = [
    TYPES,
    ...graphs.map(
      ({ file, exportName }, index) =>
        `type Graph${index} = Compiled<(typeof import(${JSON.stringify(`./${path.basename(file)}`)}))[${JSON.stringify(exportName)}]>;`,
    ),
    ...graphs.flatMap((_graph, index) =>
      Object.values(KINDS).map((kind) => `export type ${kind}${index} = ${kind}<Graph${index}>;`),
    ),
  ].join('\n');
  const options = { ...projectOptions(ts, folder), ...ownOptions(ts) };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (file) => file === reader || fileExists.call(host, file);
  host.readFile = (file) => (file === reader ? text : readFile.call(host, file));
  host.getSourceFile = (file, ...rest) =>
    file === reader
      ? ts.createSourceFile(file, text, ts.ScriptTarget.ESNext)
      : getSourceFile.call(host, file, ...rest);
  const program = ts.createProgram([reader], options, host);
  const checker = program.getTypeChecker();
  const statements = program.getSourceFile(reader)?.statements ?? [];
  const read = (name: string) => {
    const alias = statements.find((statement) => statement.name?.text === name);
    if (alias === undefined) return null;
    return new TypeSchemas(ts, checker, alias).object(checker.getTypeAtLocation(alias));
  };
  return graphs.map(({ graphId }, index) => [
    graphId,
    {
      input: read(`${KINDS.input}${index}`),
      output: read(`${KINDS.output}${index}`),
      state: read(`${KINDS.state}${index}`),
      context: read(`${KINDS.context}${index}`),
    },
  ]);
}

function projectOptions(ts: TypeScript, folder: string): object {
  const file = ts.findConfigFile(folder, ts.sys.fileExists);
  if (file === undefined) return {};
  const { config } = ts.readConfigFile(file, ts.sys.readFile);
  return ts.parseJsonConfigFileContent(config, ts.sys, path.dirname(file)).options;
}

/**
 * Resolves modules the way any loader does, and asks for nothing but types. Those of browsers and of Node are three
 * quarters of what the compiler would read, and no state has them: what is typed with them is left open.
 */
function ownOptions(ts: TypeScript): object {
  return {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    allowJs: true,
    allowImportingTsExtensions: true,
    lib: ['lib.esnext.d.ts'],
    types: [],
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    composite: false,
    incremental: false,
  };
}

const work: TypedGraphs = workerData;
parentPort?.postMessage(readSchemas(work));
