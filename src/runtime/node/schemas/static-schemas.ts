import { createRequire } from 'node:module';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../../../process/message-of.ts';
import type { JsonObject } from '../../protocol/protocol.ts';
import { isRecord } from '../langgraph-types.ts';
import type { GraphEntry } from '../loading/load-graph.ts';
import type { DerivedSchemas } from './annotation-schemas.ts';
import type { TypedGraphs, TypedSchemas } from './typescript-schemas.ts';

const workerUrl = new URL(
  import.meta.url.endsWith('.ts') ? './typescript-schemas.ts' : './runtime-node-schemas.js',
  import.meta.url,
);
/** The first major version of TypeScript without the compiler API. */
const FIRST_WITHOUT_API = 7;
/** The time limit for reading types. If it is exceeded, graphs have no schemas from types. */
const MAX_READING_MS = 60_000;

const NONE: TypedSchemas = { graphs: [], subgraphs: [] };

/**
 * Reads the schemas of graphs from their TypeScript types. Types are read on a separate thread with the
 * project's own TypeScript, on the first request, and for all graphs of a folder at once, because the type
 * checker is slow.
 */
export class StaticSchemas {
  readonly #entries: () => ReadonlyMap<string, GraphEntry>;
  readonly #note: (message: string) => void;
  readonly #byFolder = new Map<string, Promise<TypedSchemas>>();

  /** @param note called once per folder with the reason why types cannot be read there. */
  constructor(entries: () => ReadonlyMap<string, GraphEntry>, note: (message: string) => void) {
    this.#entries = entries;
    this.#note = note;
  }

  /**
   * The schemas of a graph; undefined if the project has no TypeScript with the compiler API, or reading
   * takes too long.
   */
  async of(graphId: string): Promise<DerivedSchemas | undefined> {
    return new Map((await this.#readFolderOf(graphId)).graphs).get(graphId);
  }

  /**
   * The schemas of a graph that is a node of another one.
   * @param node the name of the node
   * @param keys the keys of its state, because nodes of several graphs may have the same name
   * @returns undefined if several different graphs match, or none
   */
  async ofSubgraph(
    graphId: string,
    node: string,
    keys: readonly string[],
  ): Promise<DerivedSchemas | undefined> {
    const { subgraphs } = await this.#readFolderOf(graphId);
    const wanted = keys.toSorted().join('\n');
    const found = subgraphs.filter(([name, { state }]) => name === node && keysOf(state) === wanted);
    const [schemas, ...others] = new Map(found.map(([, one]) => [JSON.stringify(one), one])).values();
    return others.length === 0 ? schemas : undefined;
  }

  /** Reads the types of all graphs in the folder of a graph, once. */
  #readFolderOf(graphId: string): Promise<TypedSchemas> {
    const entry = this.#entries().get(graphId);
    if (entry === undefined) return Promise.resolve(NONE);
    const folder = path.dirname(entry.file);
    let reading = this.#byFolder.get(folder);
    if (reading === undefined) {
      reading = this.#read(folder);
      this.#byFolder.set(folder, reading);
    }
    return reading;
  }

  async #read(folder: string): Promise<TypedSchemas> {
    const typescript = findTypeScript(folder);
    if (typescript === undefined) return NONE;
    if (Number.parseInt(typescript.version, 10) >= FIRST_WITHOUT_API) {
      this.#note(
        `Cannot read the types of graphs in ${folder}, because TypeScript ${typescript.version} has no compiler API. Graphs without zod schemas accept any input. Install TypeScript 6 ("typescript": "^6") to read them.`,
      );
      return NONE;
    }
    const graphs = [...this.#entries()]
      .filter(([, { file }]) => path.dirname(file) === folder)
      .map(([graphId, entry]) => ({ graphId, ...entry }));
    return extractInWorker({ typescript: typescript.resolve(), graphs }).catch((error: unknown) => {
      const reason = messageOf(error).replace(/\.$/, '');
      this.#note(
        `Cannot read the types of graphs in ${folder}: ${reason}. Graphs without zod schemas accept any input.`,
      );
      return NONE;
    });
  }
}

function keysOf(schema: JsonObject | null): string {
  return isRecord(schema?.properties) ? Object.keys(schema.properties).sort().join('\n') : '';
}

/**
 * @throws the error of a compiler that fails on the project's types, or an Error if it ends or takes too long
 */
async function extractInWorker(workerData: TypedGraphs): Promise<TypedSchemas> {
  // The compiler's output is captured and discarded.
  const worker = new Worker(workerUrl, { workerData, stdout: true, stderr: true });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<TypedSchemas>((resolve, reject) => {
      const fail = (how: string) => reject(new Error(`the compiler ${how}`));
      timer = setTimeout(() => fail(`took longer than ${MAX_READING_MS / 1_000} s`), MAX_READING_MS);
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', (code) => fail(`ended with code ${code}`));
    });
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

function findTypeScript(folder: string): { version: string; resolve(): string } | undefined {
  const require = createRequire(path.join(folder, 'index.js'));
  try {
    const { version }: { version: string } = require('typescript/package.json');
    return { version, resolve: () => require.resolve('typescript') };
  } catch {
    // It is not installed.
    return undefined;
  }
}
