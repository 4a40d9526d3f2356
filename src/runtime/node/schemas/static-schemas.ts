import { createRequire } from 'node:module';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { GraphEntry } from '../loading/load-graph.ts';
import type { DerivedSchemas } from './annotation-schemas.ts';
import type { TypedGraphs } from './typescript-schemas.ts';

const workerUrl = new URL(
  import.meta.url.endsWith('.ts') ? './typescript-schemas.ts' : './runtime-node-schemas.js',
  import.meta.url,
);
const FIRST_WITHOUT_API = 7;
const MAX_PAUSE_MS = 60_000;

type SchemasByGraph = ReadonlyMap<string, DerivedSchemas>;

/**
 * The schemas that graphs' TypeScript types give. Types are read on a thread of its own with the project's own
 * TypeScript, on the first request, and for all graphs of a folder at once: the type checker is what is slow.
 */
export class StaticSchemas {
  readonly #entries: () => ReadonlyMap<string, GraphEntry>;
  readonly #note: (message: string) => void;
  readonly #byFolder = new Map<string, Promise<SchemasByGraph>>();

  /** @param note is called once per folder with the reason why types cannot be read there. */
  constructor(entries: () => ReadonlyMap<string, GraphEntry>, note: (message: string) => void) {
    this.#entries = entries;
    this.#note = note;
  }

  /** Nothing when the project has no TypeScript with the compiler API (which version 7 lacks), or it takes too long. */
  async of(graphId: string): Promise<DerivedSchemas | undefined> {
    const entry = this.#entries().get(graphId);
    if (entry === undefined) return undefined;
    const folder = path.dirname(entry.file);
    let reading = this.#byFolder.get(folder);
    if (reading === undefined) {
      reading = this.#read(folder);
      this.#byFolder.set(folder, reading);
    }
    return (await reading).get(graphId);
  }

  async #read(folder: string): Promise<SchemasByGraph> {
    const typescript = findTypeScript(folder);
    if (typescript === undefined) return new Map();
    if (Number.parseInt(typescript.version, 10) >= FIRST_WITHOUT_API) {
      this.#note(
        `Cannot read the types of graphs in ${folder}, because TypeScript ${typescript.version} has no compiler API. Graphs without zod schemas accept any input. Install TypeScript 6 ("typescript": "^6") to read them.`,
      );
      return new Map();
    }
    const graphs = [...this.#entries()]
      .filter(([, { file }]) => path.dirname(file) === folder)
      .map(([graphId, entry]) => ({ graphId, ...entry }));
    return new Map(await extractInWorker({ typescript: typescript.resolve(), graphs }));
  }
}

async function extractInWorker(workerData: TypedGraphs): Promise<[string, DerivedSchemas][]> {
  // The compiler may print anything; it is not read.
  const worker = new Worker(workerUrl, { workerData, stdout: true, stderr: true });
  let timer: NodeJS.Timeout | undefined;
  const schemas = await new Promise<[string, DerivedSchemas][]>((resolve) => {
    timer = setTimeout(() => resolve([]), MAX_PAUSE_MS);
    worker.once('message', resolve);
    worker.once('error', () => resolve([]));
    worker.once('exit', () => resolve([]));
  });
  clearTimeout(timer);
  await worker.terminate();
  return schemas;
}

function findTypeScript(folder: string): { version: string; resolve(): string } | undefined {
  const require = createRequire(path.join(folder, 'index.js'));
  try {
    const { version }: { version: string } = require('typescript/package.json');
    return { version, resolve: () => require.resolve('typescript') };
  } catch {
    return undefined;
  }
}
