import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { Agent, request } from 'undici';
import { platformBundle } from '../../test/support/platform-bundle.ts';

/** A platform in its own process, with its own data folder. */
export interface Server {
  readonly url: string;
  /** The machine's own key. */
  readonly key: string;
  readonly dataDir: string;
  readonly pid: number;
  request(method: 'GET' | 'POST' | 'DELETE', route: string, body?: Body): Promise<Answer>;
  /** Peak resident memory in MB, where the system reports it. */
  peakMemory(): Promise<number | undefined>;
  /** CPU time in microseconds used so far, where the system reports it. */
  cpuMicros(): Promise<CpuMicros | undefined>;
  stop(): Promise<void>;
}

export interface CpuMicros {
  /** The thread that serves HTTP. */
  readonly main: number;
  /** The busiest of the others: the one that writes. */
  readonly writer: number;
  /** All threads, including those of V8 and zlib. */
  readonly all: number;
}

export interface Body {
  readonly bytes: Buffer | string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  /** Milliseconds until the whole answer had arrived. */
  readonly ms: number;
}

export function jsonBody(value: unknown): Body {
  return { bytes: JSON.stringify(value), headers: { 'content-type': 'application/json' } };
}

/**
 * @param options.connections how many requests can be in progress at once.
 * @param options.nodeOptions for the server's process, such as `--cpu-prof`.
 */
export async function startServer(
  options: {
    dataDir?: string;
    connections?: number;
    nodeOptions?: readonly string[];
    /** A team's database, in place of `traces.db`. */
    database?: string;
  } = {},
): Promise<Server> {
  const dataDir = options.dataDir ?? (await mkdtemp(path.join(tmpdir(), 'bench-traces-')));
  const { script, worker, link } = await platformBundle();
  const traces =
    options.database && JSON.stringify({ url: options.database, link: pathToFileURL(link).href });
  const values = [dataDir, worker, ...(traces === undefined ? [] : [traces])];
  const child = spawn(process.execPath, [...(options.nodeOptions ?? []), script, ...values], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  if (child.stdout === null) throw new Error('The server has no standard output.');
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { url, key } = JSON.parse(line) as { url: string; key: string };
  const agent = new Agent({ connections: options.connections ?? 8, pipelining: 1 });
  return {
    url,
    key,
    dataDir,
    pid: child.pid ?? 0,
    request: async (method, route, body) => {
      const began = performance.now();
      const response = await request(`${url}${route}`, {
        dispatcher: agent,
        method,
        headers: { 'x-api-key': key, ...body?.headers },
        ...(body === undefined ? {} : { body: body.bytes }),
      });
      const text = await response.body.text();
      return { status: response.statusCode, text, ms: performance.now() - began };
    },
    peakMemory: async () => {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
      const peak = /VmHWM:\s+(\d+) kB/.exec(status)?.[1];
      return peak === undefined ? undefined : Number(peak) / 1024;
    },
    cpuMicros: async () => {
      const threads = await readdir(`/proc/${child.pid}/task`).catch(() => []);
      const used = async (thread: string) => {
        const text = await readFile(`/proc/${child.pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0');
        return Number(text.split(' ')[0]) / 1000;
      };
      if (threads.length === 0) return undefined;
      const main = await used(String(child.pid));
      const others = await Promise.all(threads.filter((thread) => thread !== String(child.pid)).map(used));
      const all = others.reduce((sum, micros) => sum + micros, main);
      return { main, writer: Math.max(...others), all };
    },
    stop: async () => {
      await agent.close();
      const exited = once(child, 'exit');
      child.kill();
      await exited;
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}
