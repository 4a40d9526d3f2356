import { createRequire } from 'node:module';
import path from 'node:path';
import type { BaseCheckpointSaver, BaseStore, Command, Send } from '@langchain/langgraph';
import { OLDEST_LANGGRAPH } from '../../../process/langgraph-version.ts';
import { type Graph, isRecord } from '../langgraph-types.ts';
import { copyMetadataAtOnce } from './callback-copies.ts';
import {
  exportedFile,
  findInstalled,
  type InstalledPackage,
  importFrom,
  loadAtOnce,
  type ModuleFormat,
} from './installed-package.ts';
import { patchLocalTracer } from './local-traces.ts';
import { patchTracer } from './open-spans.ts';
import { deferUntracedSpans } from './untraced-spans.ts';

/** The parts of the user's own LangGraph that this runtime uses, all from the same copy and in the same module format. */
export interface UserLangGraph {
  readonly version: string;
  readonly Command: typeof Command;
  readonly Send: typeof Send;
  readonly BaseCheckpointSaver: typeof BaseCheckpointSaver;
  readonly BaseStore: typeof BaseStore;
  /** LangGraph's wrapper for a store in a run; other versions may have a different one, or none. */
  readonly AsyncBatchedStore: unknown;
  /** The fixed, negative indexes of special writes: errors, interrupts, resumes. */
  readonly specialWriteIndexes: Readonly<Record<string, number>>;
  /**
   * Imports a module of one of LangGraph's packages, such as `@langchain/core/callbacks/promises`, in the
   * same module format.
   */
  importModule(specifier: string): Promise<Record<string, unknown>>;
}

/** LangGraph is not installed where the project's own code would look for it, or is not supported. */
export class LangGraphMissingError extends Error {
  override readonly name = 'LangGraphMissingError';
}

const LANGGRAPH = '@langchain/langgraph';
const CHECKPOINT = '@langchain/langgraph-checkpoint';

/** Called with the module `@langchain/core/callbacks/manager`. */
type OnManagers = (module: Readonly<Record<string, unknown>>) => void;

/** Finds and loads LangGraph as the user's modules do. */
export class UserLangGraphs {
  readonly #loaded = new Map<string, Promise<UserLangGraph>>();
  /** The LangGraph that made each class of graphs. */
  readonly #byClass = new WeakMap<object, Promise<UserLangGraph>>();
  readonly #onManagers: OnManagers;

  /** @param onManagers called with LangChain's callback managers before the first run. */
  constructor(onManagers: OnManagers = () => {}) {
    this.#onManagers = onManagers;
  }

  /**
   * The copy and the module format of LangGraph that made a graph.
   * @param file the module that exported the graph
   * @throws LangGraphMissingError when the module's folder has no LangGraph
   */
  of(graph: Graph, file: string): Promise<UserLangGraph> {
    let found = this.#byClass.get(graph.constructor);
    if (found === undefined) {
      found = this.#find(graph, file);
      this.#byClass.set(graph.constructor, found);
    }
    return found;
  }

  async #find(graph: Graph, file: string): Promise<UserLangGraph> {
    const installed = findInstalled(LANGGRAPH, file) ?? throwMissing(file);
    for (const format of formatsInUse(installed)) {
      const { Pregel } = await importFrom(installed, './pregel', format);
      if (typeof Pregel === 'function' && graph instanceof Pregel) return this.#load(installed, format);
    }
    // The package of `createAgent` may have another copy of LangGraph, whose classes have the same shape.
    return this.#load(installed, 'import');
  }

  /** The copy that a module imports, in the format that is in use; undefined when there is none. */
  async beside(file: string): Promise<UserLangGraph | undefined> {
    const installed = findInstalled(LANGGRAPH, file);
    const [format = 'import'] = installed === undefined ? [] : formatsInUse(installed);
    return installed === undefined ? undefined : this.#load(installed, format);
  }

  /** Loads the ES modules of LangGraph that modules of a folder will import; does nothing when there are none. */
  async preload(folder: string): Promise<void> {
    const installed = findInstalled(LANGGRAPH, path.join(folder, 'index.js'));
    if (installed === undefined || this.#loaded.has(keyOf(installed, 'import'))) return;
    loadAtOnce(installed);
    await this.#load(installed, 'import');
  }

  /** The version that modules in a folder import; undefined when there is none. */
  version(folder: string): string | undefined {
    return findInstalled(LANGGRAPH, path.join(folder, 'index.js'))?.version;
  }

  /** The copies that have been loaded, are being loaded, or have failed to load. */
  listCopies(): readonly Promise<UserLangGraph>[] {
    return [...this.#loaded.values()];
  }

  #load(installed: InstalledPackage, format: ModuleFormat): Promise<UserLangGraph> {
    const key = keyOf(installed, format);
    let loading = this.#loaded.get(key);
    if (loading === undefined) {
      loading = load(installed, format, this.#onManagers);
      this.#loaded.set(key, loading);
    }
    return loading;
  }
}

function keyOf({ folder }: InstalledPackage, format: ModuleFormat): string {
  return `${format} ${folder}`;
}

async function load(
  installed: InstalledPackage,
  format: ModuleFormat,
  onManagers: OnManagers,
): Promise<UserLangGraph> {
  const inside = path.join(installed.folder, 'index.js');
  const imported = new Map<string, Promise<Record<string, unknown>>>();
  const importModule = (specifier: string) => {
    const importing = imported.get(specifier) ?? importNew(specifier);
    imported.set(specifier, importing);
    // Try again next time: a missing package may be installed later.
    importing.catch(() => imported.delete(specifier));
    return importing;
  };
  const importNew = async (specifier: string) => {
    const [scope, name, ...rest] = specifier.split('/');
    const id = `${scope}/${name}`;
    const found = id === LANGGRAPH ? installed : findInstalled(id, inside);
    if (found === undefined) throw new LangGraphMissingError(`${id} is not installed.`);
    return importFrom(found, rest.length === 0 ? '.' : `./${rest.join('/')}`, format);
  };
  const [langgraph, checkpoint] = await Promise.all([importModule(LANGGRAPH), importModule(CHECKPOINT)]);
  if (!isLangGraph(langgraph) || !isRecord(checkpoint.WRITES_IDX_MAP)) {
    throw new LangGraphMissingError(
      `${LANGGRAPH} ${installed.version} in ${installed.folder} is not supported. Version ${OLDEST_LANGGRAPH} or later is required.`,
    );
  }
  const { Command, Send, BaseCheckpointSaver, BaseStore } = langgraph;
  const [manager, tracer, singletons] = await Promise.all([
    importModule('@langchain/core/callbacks/manager'),
    importModule('@langchain/core/tracers/tracer_langchain'),
    importModule('@langchain/core/singletons'),
  ]);
  copyMetadataAtOnce(manager);
  onManagers(manager);
  patchLocalTracer(tracer);
  patchTracer(tracer);
  deferUntracedSpans(singletons);
  return {
    version: installed.version,
    Command,
    Send,
    BaseCheckpointSaver,
    BaseStore,
    AsyncBatchedStore: checkpoint.AsyncBatchedStore,
    specialWriteIndexes: checkpoint.WRITES_IDX_MAP as Record<string, number>,
    importModule,
  };
}

function isLangGraph(
  module: Record<string, unknown>,
): module is Pick<UserLangGraph, 'Command' | 'Send' | 'BaseCheckpointSaver' | 'BaseStore'> {
  return ['Command', 'Send', 'BaseCheckpointSaver', 'BaseStore'].every(
    (name) => typeof module[name] === 'function',
  );
}

/**
 * The formats to try: CommonJS first if that form is already loaded. Loading it just to check would load LangGraph
 * twice.
 */
function formatsInUse(installed: InstalledPackage): ModuleFormat[] {
  const common = exportedFile(installed, '.', 'require');
  // If both forms are the same file, it is in the cache because `loadAtOnce` loaded it.
  const isOwn = common !== undefined && common !== exportedFile(installed, '.', 'import');
  const loaded = isOwn && common in createRequire(import.meta.url).cache;
  return loaded ? ['require', 'import'] : ['import'];
}

function throwMissing(file: string): never {
  throw new LangGraphMissingError(
    `${LANGGRAPH} is not installed for ${file}. Run the install command of your package manager.`,
  );
}
