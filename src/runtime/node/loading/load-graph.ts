import { stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ifReadable } from '../../../process/if-present.ts';
import { GraphLoadError } from '../errors/runtime-error.ts';
import { type Graph, type GraphFactory, isGraph, isGraphBuilder, isRecord } from '../langgraph-types.ts';
import { importError } from './import-error.ts';
import { isPlainFunction } from './plain-function.ts';

/** The place of a graph as given in `langgraph.json`. */
export interface GraphEntry {
  /** Absolute path of the module. */
  readonly file: string;
  readonly exportName: string;
}

/** The forms of a graph that a module may export. */
export type ExportedGraph = { kind: 'graph'; graph: Graph } | { kind: 'factory'; factory: GraphFactory };

/**
 * Parses `file:export`, where the default export may be omitted. The colon of a drive letter is not a
 * separator.
 */
export function parseGraphPath(projectDir: string, spec: string): GraphEntry {
  const colon = spec.lastIndexOf(':');
  const hasExport = colon > 0 && !/[\\/]/.test(spec.slice(colon + 1));
  return {
    file: path.resolve(projectDir, hasExport ? spec.slice(0, colon) : spec),
    exportName: (hasExport && spec.slice(colon + 1)) || 'default',
  };
}

/**
 * Imports a module and finds one of its exports.
 *
 * @throws GraphLoadError with one sentence that says what is wrong and where
 */
export async function loadExport({ file, exportName }: GraphEntry): Promise<unknown> {
  const found = await ifReadable(stat(file));
  if (found === undefined) throw new GraphLoadError(`The file ${file} does not exist.`);
  if (!found.isFile()) throw new GraphLoadError(`${file} is a folder, not a module.`);
  let module: unknown;
  try {
    module = await import(pathToFileURL(file).href);
  } catch (error) {
    throw await importError(file, error);
  }
  return findExport(module, exportName, file);
}

/**
 * Imports a graph's module and finds what it exports as the graph.
 *
 * @throws GraphLoadError with one sentence that says what is wrong and where
 */
export async function loadGraph(entry: GraphEntry): Promise<ExportedGraph> {
  const { file, exportName } = entry;
  const exported = await loadExport(entry);
  if (isPlainFunction(exported)) return { kind: 'factory', factory: exported };
  return { kind: 'graph', graph: toGraph(exported, `The export '${exportName}' of ${file}`) };
}

/**
 * Converts an exported value, or the result of a factory, to a compiled graph. The value is the graph itself,
 * a builder of one, or an agent that wraps one.
 * @param what describes the value in errors
 */
export function toGraph(value: unknown, what: string): Graph {
  if (isRecord(value) && isGraph(value.graph)) return value.graph;
  if (isGraph(value)) return value;
  if (isGraphBuilder(value)) {
    const compiled = value.compile();
    if (isGraph(compiled)) return compiled;
  }
  throw new GraphLoadError(
    `${what} is ${describeValue(value)}, not a graph: export a compiled graph, a StateGraph, or a function that returns one.`,
  );
}

async function findExport(module: unknown, name: string, file: string): Promise<unknown> {
  if (!isRecord(module)) throw new GraphLoadError(`${file} has no exports.`);
  // A CommonJS module's exports are its default export. If it was compiled from TypeScript, they contain
  // another `default`.
  const inner = isRecord(module.default) ? module.default : {};
  const [first, second] = name === 'default' ? [inner, module] : [module, inner];
  const source = name in first ? first : second;
  if (name in source) return await source[name];
  const names = [...new Set([...Object.keys(module), ...commonNames(inner)])].filter(
    (key) => key !== 'default' && key !== 'module.exports' && key !== '__esModule',
  );
  const has = 'default' in module && Object.keys(inner).length === 0 ? ['default', ...names] : names;
  throw new GraphLoadError(
    has.length === 0
      ? `${file} has no export '${name}'. It has no exports.`
      : `${file} has no export '${name}'. It exports ${has.map((key) => `'${key}'`).join(', ')}.`,
  );
}

/** The names of a CommonJS module's exports; an instance (a graph as default export) has none. */
function commonNames(inner: Record<string, unknown>): string[] {
  const prototype: unknown = Object.getPrototypeOf(inner);
  return prototype === Object.prototype || prototype === null ? Object.keys(inner) : [];
}

function describeValue(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'function') return `the class ${value.name}`;
  if (typeof value !== 'object') return `a ${typeof value}`;
  const name: unknown = value.constructor?.name;
  return typeof name === 'string' && name !== 'Object' ? `an object of class ${name}` : 'a plain object';
}
