import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { portOf } from '../../../src/server/http/port-of.ts';
import { MEMORY_GRAPHS } from '../../support/memory-graphs.ts';
import { type GraphProject, graphProject } from '../../support/projects.ts';
import { RuntimeHost } from '../../support/runtime/runtime-host.ts';
import { eventually } from '../../support/wait.ts';

/** Runs of each kind; `npm run soak` makes many more. */
const RUNS = Number(process.env.MEMORY_RUNS ?? 500);
const CLIENTS = 16;
const WARM_UP_RUNS = 160;
/** A kilobyte for each run, plus the code that V8 compiles in that time. */
const MAX_GROWTH_BYTES = Math.min(5_000_000, 1_500_000 + RUNS * 1_000);

const graphs = `${MEMORY_GRAPHS}
export const custom = graph(State, (_state, { writer }) => {
  for (let index = 0; index < 300; index++) writer({ index, text: 'A short line of progress.' });
  return { value: 1 };
});
export const brief = graph(State, async () => {
  await sleep(20);
  return { value: 2 };
});
export const large = graph(State, () => ({ value: 'x'.repeat(4_000_000) }));
export const heap = graph(State, async () => {
  collect();
  await sleep(10);
  collect();
  return { value: process.memoryUsage().heapUsed };
});
`;
const names = ['plain', 'custom', 'tokens', 'waits', 'brief', 'asks', 'large', 'heap'] as const;
type Name = (typeof names)[number];
const ends: Partial<Record<Name, string>> = { waits: 'cancelled', asks: 'interrupted' };

interface Receiver {
  readonly server: Server;
  readonly env: Record<string, string>;
  /** The headers of each request that brought spans. */
  readonly requests: IncomingHttpHeaders[];
}

/** A receiver of spans, which accepts everything that the server accepts. */
async function receiver(answers: boolean): Promise<Receiver> {
  const requests: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    request.resume();
    const isInfo = request.method === 'GET';
    if (!isInfo) requests.push(request.headers);
    if (!answers && !isInfo) return;
    request.on('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          batch_ingest_config: { use_multipart_endpoint: true },
          instance_flags: { gzip_body_enabled: true, zstd_compression_enabled: true },
        }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = portOf(server);
  const env = {
    LANGSMITH_TRACING: 'true',
    LANGSMITH_ENDPOINT: `http://127.0.0.1:${port}`,
    LANGSMITH_API_KEY: 'key',
    LANGSMITH_PROJECT: 'memory',
  };
  return { server, env, requests };
}

describe('the memory of the runtime', function () {
  this.timeout(60_000 + RUNS * 1_500);
  let project: GraphProject;

  before(async () => {
    project = await graphProject({ line: 'langgraph-1.7', files: { 'memory.ts': graphs } });
    for (const name of names) project.graphs[name] = { path: `./memory.ts:${name}` };
  });
  after(() => project[Symbol.asyncDispose]());

  async function start(env: Record<string, string>): Promise<RuntimeHost> {
    const host = new RuntimeHost({ project, env });
    await host.initialize(...names);
    return host;
  }

  async function heap(host: RuntimeHost): Promise<number> {
    const { state } = await host.run('heap', { value: 0 });
    return (JSON.parse(state?.values ?? '{}') as { value: number }).value;
  }

  async function run(host: RuntimeHost, name: Name): Promise<void> {
    const run_id = randomUUID();
    const input = name === 'tokens' ? { messages: [{ role: 'user', content: 'Talk.' }] } : { value: 0 };
    const running = host.run(name, input, { run_id, stream_modes: ['values', 'messages-tuple', 'custom'] });
    if (name === 'waits') {
      await delay(3);
      await host.connection.request('run.cancel', { run_id });
    }
    const { status, threadId } = await running;
    assert.equal(status, ends[name] ?? 'success');
    host.forget(run_id);
    host.checkpoints.deleteThread(threadId);
  }

  async function runs(host: RuntimeHost, name: Name, count: number): Promise<void> {
    let left = count;
    const client = async () => {
      while (left-- > 0) await run(host, name);
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
  }

  for (const tracing of [true, false]) {
    it(`does not grow after many runs of every kind, ${tracing ? 'traced' : 'not traced'}`, async () => {
      const { server, env } = await receiver(true);
      await using host = await start(tracing ? env : {});
      try {
        const kinds = ['plain', 'custom', 'tokens', 'waits', 'brief', 'asks'] as const;
        for (const name of kinds) await runs(host, name, WARM_UP_RUNS);
        for (const name of kinds) {
          let before = Number.POSITIVE_INFINITY;
          const settled = () =>
            eventually(
              'the heap is what it was',
              async () => {
                const now = await heap(host);
                const isSettled = now < before + MAX_GROWTH_BYTES;
                return { now, isSettled };
              },
              ({ isSettled }) => isSettled,
              20_000,
            );
          await delay(tracing ? 1_000 : 0);
          before = (await settled()).now;
          await runs(host, name, RUNS);
          await settled();
        }
      } finally {
        server.close();
      }
    });
  }

  it('holds few spans, since those for this machine are sent uncompressed, and many at once', async () => {
    const { server, env, requests } = await receiver(true);
    await using host = await start(env);
    try {
      await runs(host, 'plain', 300);
      await eventually('spans have come', () => requests.length, Boolean, 20_000);
    } finally {
      server.close();
    }
    for (const headers of requests) {
      assert.equal(headers['content-encoding'], undefined);
      assert.equal(
        headers['transfer-encoding'],
        undefined,
        'a request that is streamed waits piece by piece',
      );
    }
  });

  it('is bounded when spans cannot be sent; the log says how many are dropped, and runs continue', async () => {
    const { server, env } = await receiver(false);
    await using host = await start(env);
    try {
      const before = await heap(host);
      for (let count = 0; count < 12; count++) await runs(host, 'large', 4);
      assert.ok(
        host.logs.some(({ message }) =>
          /spans are waiting to be sent\. \d+ spans have been dropped/.test(message),
        ),
      );
      const held = (await heap(host)) - before;
      assert.ok(held < 250_000_000, `${held} bytes are held`);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
