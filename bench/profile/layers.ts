import { readFile } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The form that V8 writes. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: {
      readonly functionName: string;
      readonly url: string;
      readonly lineNumber: number;
      readonly columnNumber: number;
    };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const root = path.resolve(import.meta.dirname, '../..');

/** Milliseconds in a profile by the layer whose own code ran, highest first. Idle time is left out. */
export async function layers(profile: CpuProfile): Promise<[string, number][]> {
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const times = new Map<string, number>();
  for (const [at, id] of profile.samples.entries()) {
    const frame = frames.get(id);
    if (frame === undefined || frame.functionName === '(idle)') continue;
    const layer = await layerOf(frame);
    times.set(layer, (times.get(layer) ?? 0) + (profile.timeDeltas[at + 1] ?? 0) / 1000);
  }
  return [...times].sort(([, a], [, b]) => b - a);
}

/** `src/server/http`, `node_modules/zod`, `Node: http`, or V8's own `(garbage collector)`. */
async function layerOf(frame: CpuProfile['nodes'][number]['callFrame']): Promise<string> {
  const { functionName, url, lineNumber, columnNumber } = frame;
  if (url === '') return functionName.startsWith('(') ? functionName : `native: ${functionName}`;
  if (url.startsWith('node:')) return `Node: ${url.replace(/^node:(internal\/)?/, '').split('/', 1)[0]}`;
  if (!url.startsWith('file:')) return url;
  const file = fileURLToPath(url);
  const original = (await sourceMap(file))?.findEntry(lineNumber, columnNumber);
  const source =
    original !== undefined && 'originalSource' in original
      ? path.resolve(path.dirname(file), original.originalSource)
      : file;
  const installed = /.*node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(source)?.[1];
  if (installed !== undefined) return `node_modules/${installed}`;
  return path.relative(root, path.dirname(source)) || source;
}

const maps = new Map<string, Promise<SourceMap | undefined>>();

function sourceMap(file: string): Promise<SourceMap | undefined> {
  const known = maps.get(file) ?? readMap(file);
  maps.set(file, known);
  return known;
}

async function readMap(file: string): Promise<SourceMap | undefined> {
  if (path.dirname(file) !== path.join(root, 'dist')) return undefined;
  return new SourceMap(JSON.parse(await readFile(`${file}.map`, 'utf8')));
}
