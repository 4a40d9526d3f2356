import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { type ServerProcess, serverProcess } from '../support/control-plane/server-process.ts';
import { MEMORY_GRAPHS } from '../support/memory-graphs.ts';
import { graphProject } from '../support/projects.ts';
import { pythonEnvironment, servablePythonProject } from '../support/python-projects.ts';
import { configure } from '../support/served-project.ts';
import { ServerHeap } from './server-heap.ts';

const CLIENTS = 5;
const MAX_PAUSE_MS = 100;
const SAMPLE_MS = 60_000;
/**
 * How much more memory the last quarter of the samples may use than the second; the first quarter is the
 * warm-up.
 */
const MAX_HEAP_GROWTH_BYTES = 5_000_000;
const MAX_RESIDENT_GROWTH_BYTES = 50_000_000;
/** SQLite's cache of its files: at most 64 MB in each of the threads for traces, 8 MB in the server's own. */
const MAX_PAGES_BYTES = 136 * 1_048_576;

const NODE_GRAPHS = `${MEMORY_GRAPHS}
export const events = graph(State, async (_state, { writer }) => {
  for (let index = 0; index < 300; index++) {
    writer({ index, text: 'A short line of progress.' });
    if (index % 30 === 0) await sleep(5);
  }
  return { value: 1 };
});
export const fails = graph(State, () => {
  throw new Error('It is meant to fail.');
});
export const memory = graph(State, async () => {
  for (let times = 0; times < 3; times++) {
    collect();
    await sleep(20);
  }
  const { heapUsed, rss } = process.memoryUsage();
  return { value: { inUse: heapUsed, resident: rss } };
});
`;
const PYTHON_GRAPHS = `
import asyncio
import gc
import tracemalloc
from typing import Any, TypedDict
from langgraph.config import get_stream_writer
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt

tracemalloc.start()

class State(TypedDict):
    value: Any

def compiled(node):
    builder = StateGraph(State)
    builder.add_node("node", node)
    builder.add_edge(START, "node")
    return builder.compile()

async def emit(state: State):
    write = get_stream_writer()
    for index in range(300):
        write({"index": index, "text": "A short line of progress."})
        if index % 30 == 0:
            await asyncio.sleep(0.005)
    return {"value": 1}

async def wait(state: State):
    await asyncio.sleep(60)
    return {}

def fail(state: State):
    raise ValueError("It is meant to fail.")

def look(state: State):
    gc.collect()
    with open("/proc/self/statm") as statm:
        resident = int(statm.read().split()[1]) * 4096
    return {"value": {"inUse": tracemalloc.get_traced_memory()[0], "resident": resident}}

plain = compiled(lambda state: {"value": 1})
events = compiled(emit)
waits = compiled(wait)
asks = compiled(lambda state: {"value": interrupt("What?")})
fails = compiled(fail)
memory = compiled(look)
`;

const Opened = z.looseObject({ deployment_url: z.string() });
const Thread = z.looseObject({ thread_id: z.string() });
const Run = z.looseObject({ run_id: z.string() });
const Memory = z.object({ inUse: z.number(), resident: z.number() });
const MemoryState = z.looseObject({ value: Memory });
type Memory = z.output<typeof Memory>;

/** The bytes that each process had in use and resident, a sample a minute. */
export type Samples = Readonly<Record<string, readonly Memory[]>>;

export interface MixedLoadReport {
  readonly runs: number;
  readonly samples: Samples;
  /** Sentences that name the processes that grew. */
  readonly growth: readonly string[];
}

/**
 * Clients that use a server with a Node and a Python graph in every way for some time, tracing on: they wait, stream,
 * leave a stream and rejoin it, read slowly, cancel, answer interrupts, send spans of their own. Once a minute each process
 * collects its garbage and is measured.
 */
export async function mixedLoad(
  minutes: number,
  tell: (line: string) => void = () => {},
): Promise<MixedLoadReport> {
  await using node = await graphProject({ line: 'langgraph-1.7', files: { 'mixed.ts': NODE_GRAPHS } });
  await configure(node.folder, { graphs: graphsOf('./mixed.ts', ['tokens']) });
  const interpreter = await pythonEnvironment('langgraph-1.2');
  await using python = await servablePythonProject(interpreter, { files: { 'mixed.py': PYTHON_GRAPHS } });
  await configure(python.folder, { graphs: graphsOf('./mixed.py', []) });
  await using server = await serverProcess({
    args: ['--holder-grace-seconds', '86400'],
    env: { NODE_OPTIONS: '--inspect=127.0.0.1:0' },
  });
  using heap = await ServerHeap.open(server);
  const nodeUrl = await serve(server, node.folder);
  const pythonUrl = await serve(server, python.folder);

  const until = performance.now() + minutes * 60_000;
  let runs = 0;
  const client = async (url: string, kinds: readonly Kind[]) => {
    while (performance.now() < until) {
      await kinds[randomInt(kinds.length)]?.(url);
      runs++;
      await delay(randomInt(MAX_PAUSE_MS));
    }
  };
  const spans = async () => {
    while (performance.now() < until) {
      await sendSpan(server);
      await delay(MAX_PAUSE_MS);
    }
  };
  const samples: Record<string, Memory[]> = { server: [], node: [], python: [] };
  const look = async () => {
    for (let minute = 0; performance.now() < until; minute++) {
      await delay(Math.min(SAMPLE_MS, Math.max(0, until - performance.now())));
      const now = {
        server: await heap.memory(),
        node: await memoryOf(nodeUrl),
        python: await memoryOf(pythonUrl),
      };
      for (const [name, memory] of Object.entries(now)) samples[name]?.push(memory);
      tell(`${minute + 1} min, ${runs} runs: ${Object.entries(now).map(describe).join('; ')}`);
    }
  };
  const nodeClients = Array.from({ length: CLIENTS - 1 }, () => client(nodeUrl, [...KINDS, readTokens]));
  await Promise.all([...nodeClients, client(pythonUrl, KINDS), spans(), look()]);
  return { runs, samples, growth: growthOf(samples) };
}

/** The growth from the second quarter of the samples to the last. */
export function growthOf(samples: Samples): string[] {
  return Object.entries(samples).flatMap(([name, all]) => {
    const quarter = Math.floor(all.length / 4);
    if (quarter === 0) return [];
    const before = all.slice(quarter, 2 * quarter);
    const after = all.slice(-quarter);
    const grown = (field: keyof Memory, most: number) => {
      const by = median(after.map((each) => each[field])) - median(before.map((each) => each[field]));
      return by > most ? [`${name}: ${field} grew by ${megabytes(by)}`] : [];
    };
    const pages = name === 'server' ? MAX_PAGES_BYTES : 0;
    return [
      ...grown('inUse', MAX_HEAP_GROWTH_BYTES),
      ...grown('resident', MAX_RESIDENT_GROWTH_BYTES + pages),
    ];
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

const describe = ([name, { inUse, resident }]: [string, Memory]) =>
  `${name} ${megabytes(inUse)} in use, ${megabytes(resident)} resident`;
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

function graphsOf(file: string, more: readonly string[]): Record<string, string> {
  const names = ['plain', 'events', 'waits', 'asks', 'fails', 'memory', ...more];
  return Object.fromEntries(names.map((name) => [name, `${file}:${name}`]));
}

async function serve(server: ServerProcess, folder: string): Promise<string> {
  const body = { config_path: `${folder}/langgraph.json`, port: 0 };
  const response = await server.fetch('/harbor/workspaces', { method: 'POST', body });
  return Opened.parse(await response.json()).deployment_url;
}

async function memoryOf(url: string): Promise<Memory> {
  const state = await call(url, '/runs/wait', { assistant_id: 'memory', input: { value: 0 } }, MemoryState);
  return state.value;
}

/** One way to use an agent server. */
type Kind = (url: string) => Promise<unknown>;

const input = { value: 0 };
const Anything = z.unknown();

const waitForRun: Kind = (url) => call(url, '/runs/wait', { assistant_id: 'plain', input }, Anything);

const useThread: Kind = async (url) => {
  const id = await newThread(url);
  for (let turn = 0; turn < 2; turn++) {
    await call(url, `/threads/${id}/runs/wait`, { assistant_id: 'plain', input }, Anything);
  }
  await call(url, `/threads/${id}/history`, {}, Anything);
  await call(url, `/threads/${id}/state`, { values: { value: 3 } }, Anything);
};

const streamEvents: Kind = async (url) => {
  await stream(url, await newThread(url), {
    assistant_id: 'events',
    input,
    stream_mode: ['custom', 'values'],
  });
};

const readSlowly: Kind = async (url) => {
  const run = { assistant_id: 'events', input, stream_mode: ['custom', 'values'] };
  await stream(url, await newThread(url), run, 20);
};

const readTokens: Kind = async (url) => {
  const messages = [{ role: 'user', content: 'Talk.' }];
  const run = { assistant_id: 'tokens', input: { messages }, stream_mode: ['messages-tuple', 'events'] };
  await stream(url, await newThread(url), run);
};

const leaveAndRejoin: Kind = async (url) => {
  const id = await newThread(url);
  const body = { assistant_id: 'events', input, stream_mode: ['custom'], stream_resumable: true };
  const { run_id } = await call(url, `/threads/${id}/runs`, body, Run);
  const route = `${url}/threads/${id}/runs/${run_id}/stream`;
  const left = new AbortController();
  const first = await fetch(route, { headers: { 'last-event-id': '-1' }, signal: left.signal });
  await first.body?.getReader().read();
  left.abort();
  await read(await fetch(route, { headers: { 'last-event-id': '10' } }));
};

const cancelRun: Kind = async (url) => {
  const id = await newThread(url);
  const { run_id } = await call(url, `/threads/${id}/runs`, { assistant_id: 'waits', input }, Run);
  await delay(20);
  await call(url, `/threads/${id}/runs/${run_id}/cancel?wait=true`, {}, Anything);
};

const replaceRun: Kind = async (url) => {
  const id = await newThread(url);
  await call(url, `/threads/${id}/runs`, { assistant_id: 'waits', input }, Run);
  const multitask_strategy = randomInt(2) === 0 ? 'interrupt' : 'rollback';
  await call(url, `/threads/${id}/runs/wait`, { assistant_id: 'plain', input, multitask_strategy }, Anything);
};

const answerInterrupt: Kind = async (url) => {
  const id = await newThread(url);
  await call(url, `/threads/${id}/runs/wait`, { assistant_id: 'asks', input }, Anything);
  await call(url, `/threads/${id}/runs/wait`, { assistant_id: 'asks', command: { resume: 4 } }, Anything);
};

const failRun: Kind = async (url) => {
  await stream(url, await newThread(url), { assistant_id: 'fails', input });
};

const KINDS: readonly Kind[] = [
  waitForRun,
  useThread,
  streamEvents,
  readSlowly,
  leaveAndRejoin,
  cancelRun,
  replaceRun,
  answerInterrupt,
  failRun,
];

async function sendSpan(server: ServerProcess): Promise<void> {
  const id = crypto.randomUUID();
  const now = new Date().toISOString();
  const body = {
    id,
    trace_id: id,
    dotted_order: `${now.replaceAll(/[-:.]/g, '').replace('Z', '000Z')}${id}`,
    name: 'beside',
    run_type: 'chain',
    session_name: 'beside',
    inputs: { text: 'A question.' },
    outputs: { text: 'An answer.' },
    start_time: now,
    end_time: now,
  };
  const response = await server.fetch('/runs', { method: 'POST', body });
  if (!response.ok) throw new Error(`A span was refused: ${response.status} ${await response.text()}`);
}

async function newThread(url: string): Promise<string> {
  return (await call(url, '/threads', {}, Thread)).thread_id;
}

async function stream(url: string, thread: string, run: object, pauseMs = 0): Promise<void> {
  await read(await post(`${url}/threads/${thread}/runs/stream`, run), pauseMs);
}

async function read(response: Response, pauseMs = 0): Promise<void> {
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${await response.text()}`);
  for await (const _ of response.body ?? []) if (pauseMs > 0) await delay(pauseMs);
}

async function call<Schema extends z.ZodType>(
  url: string,
  route: string,
  body: object,
  schema: Schema,
): Promise<z.output<Schema>> {
  const response = await post(`${url}${route}`, body);
  const text = await response.text();
  const answer = schema.safeParse(text === '' ? undefined : JSON.parse(text));
  if (!response.ok || !answer.success) throw new Error(`${route}: ${response.status} ${text}`);
  return answer.data;
}

function post(address: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
}
