/**
 * The input of the worker that reads the schemas of graphs from their TypeScript types, with the project's
 * own TypeScript.
 */
import { createRequire } from 'node:module';
import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { CompilerHost, Node, Program, TypeChecker, TypeScript } from '../typescript/typescript-api.ts';
import type { DerivedSchemas } from './annotation-schemas.ts';
import { describeSubgraphs, descriptionsIn, mayAddNodes } from './subgraph-sources.ts';
import { TypeSchemas } from './type-to-schema.ts';

export interface TypedGraphs {
  /** Absolute path of the project's `typescript`. */
  readonly typescript: string;
  /** Graphs whose modules are in one folder. */
  readonly graphs: readonly { graphId: string; file: string; exportName: string }[];
}

export interface TypedSchemas {
  readonly graphs: readonly [graphId: string, schemas: DerivedSchemas][];
  /** Schemas of graphs that are nodes of others, by the names of these nodes. */
  readonly subgraphs: readonly [node: string, schemas: DerivedSchemas][];
}

/** Types that extract the schemas from any exported graph: a compiled graph, a builder, or a function that returns one. */
const TYPES = `
import type { StateDefinition, StateType, UpdateType } from '@langchain/langgraph';
type Made<T> = T extends (...args: any[]) => infer Result ? Awaited<Result> : Awaited<T>;
type Built<T> = T extends { compile(...args: any[]): infer Result } ? Result : T;
type Compiled<T> = Made<T> extends infer M ? Built<M> : never;
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
export type Described<T> = Built<T> extends infer G
  ? { input: Input<G>; output: Output<G>; state: State<G>; context: Context<G> } : never;
`;

const KINDS = { input: 'Input', output: 'Output', state: 'State', context: 'Context' } as const;

function readSchemas({ typescript, graphs }: TypedGraphs): TypedSchemas {
  const [first] = graphs;
  if (first === undefined) return { graphs: [], subgraphs: [] };
  const ts: TypeScript = createRequire(first.file)(typescript);
  const folder = path.dirname(first.file);
  const reader = path.join(folder, '__agent_harbor_types__.ts').replaceAll('\\', '/');
  const options = { ...projectOptions(ts, folder), ...ownOptions(ts) };
  const described = new Set<string>();
  const host = ts.createCompilerHost(options);
  readThrough(ts, host, { reader, text: readerText(graphs), described });
  const program = ts.createProgram([reader], options, host);
  const checker = program.getTypeChecker();
  const statements = program.getSourceFile(reader)?.statements ?? [];
  const read = (name: string) => {
    const alias = statements.find((statement) => statement.name?.text === name);
    if (alias === undefined) return null;
    return new TypeSchemas(ts, checker, alias).object(checker.getTypeAtLocation(alias));
  };
  return {
    graphs: graphs.map(({ graphId }, index) => [
      graphId,
      {
        input: read(`${KINDS.input}${index}`),
        output: read(`${KINDS.output}${index}`),
        state: read(`${KINDS.state}${index}`),
        context: read(`${KINDS.context}${index}`),
      },
    ]),
    subgraphs: [...described].flatMap((file) => readSubgraphs(ts, program, checker, file)),
  };
}

/** The text of a module that names the types of the graphs. */
function readerText(graphs: TypedGraphs['graphs']): string {
  return [
    TYPES,
    ...graphs.map(
      ({ file, exportName }, index) =>
        `type Graph${index} = Compiled<(typeof import(${JSON.stringify(`./${path.basename(file)}`)}))[${JSON.stringify(exportName)}]>;`,
    ),
    ...graphs.flatMap((_graph, index) =>
      Object.values(KINDS).map((kind) => `export type ${kind}${index} = ${kind}<Graph${index}>;`),
    ),
  ].join('\n');
}

interface Reading {
  /** The path of the virtual file that names types. */
  readonly reader: string;
  readonly text: string;
  /** Collects the sources in which subgraphs are described. */
  readonly described: Set<string>;
}

/**
 * Gives the compiler the virtual file that names the types and, instead of each source that may add nodes, a copy that
 * also describes its subgraphs.
 */
function readThrough(ts: TypeScript, host: CompilerHost, { reader, text, described }: Reading): void {
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (file) => file === reader || fileExists.call(host, file);
  host.readFile = (file) => (file === reader ? text : readFile.call(host, file));
  host.getSourceFile = (file, ...rest) => {
    const [version] = rest;
    if (file === reader) return ts.createSourceFile(file, text, version);
    const source = getSourceFile.call(host, file, ...rest);
    if (source === undefined || !isOwnSource(file) || !mayAddNodes(source.text)) return source;
    described.add(file);
    return ts.createSourceFile(file, describeSubgraphs(ts, source, reader), version);
  };
}

function isOwnSource(file: string): boolean {
  return !file.includes('/node_modules/') && !/\.d\.[cm]?ts$/.test(file);
}

function readSubgraphs(
  ts: TypeScript,
  program: Program,
  checker: TypeChecker,
  file: string,
): [string, DerivedSchemas][] {
  const source = program.getSourceFile(file);
  if (source === undefined) return [];
  const found: [string, DerivedSchemas][] = [];
  for (const { name, call } of descriptionsIn(ts, source)) {
    const { value } = checker.getTypeAtLocation(name);
    const schemas = readDescription(ts, checker, call);
    if (typeof value === 'string' && schemas.state !== null) found.push([value, schemas]);
  }
  return found;
}

function readDescription(ts: TypeScript, checker: TypeChecker, call: Node): DerivedSchemas {
  const properties = checker.getTypeAtLocation(call).getProperties();
  const schemas = new TypeSchemas(ts, checker, call);
  const read = (name: keyof DerivedSchemas) => {
    const property = properties.find((one) => one.name === name);
    return property === undefined ? null : schemas.object(checker.getTypeOfSymbolAtLocation(property, call));
  };
  return { input: read('input'), output: read('output'), state: read('state'), context: read('context') };
}

function projectOptions(ts: TypeScript, folder: string): object {
  const file = ts.findConfigFile(folder, ts.sys.fileExists);
  if (file === undefined) return {};
  const { config } = ts.readConfigFile(file, ts.sys.readFile);
  return ts.parseJsonConfigFileContent(config, ts.sys, path.dirname(file)).options;
}

/**
 * Options that resolve modules as loaders do, and read only types. Types of browsers and of Node are left out: they would
 * be three quarters of the text that the compiler reads, and states do not use them.
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
