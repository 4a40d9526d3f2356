import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { ImageServer } from '../../../../src/server/control-plane/images/image-server.ts';
import type { ServingContainer } from '../../../../src/server/control-plane/images/serving-container.ts';
import { makeLogger } from '../../../../src/server/logger.ts';
import { LogBook } from '../../../../src/server/runtimes/output/log-book.ts';
import { eventually } from '../../../support/wait.ts';

const PROBES = new Set(['/metrics?format=json', '/runs/crons/search']);

/**
 * Serves like a container, in this process: starts and ends slowly, and records which servers use the files.
 */
class Containers {
  /** The current and the maximum number of servers that use the deployment's files. */
  now = 0;
  most = 0;
  started = 0;
  /** The status with which servers answer the question whether they have work. */
  probeStatus = 404;
  /** Servers that are being started wait for this. */
  held: Promise<void> | undefined;
  readonly running = new Set<{ kill(): void }>();

  start = async (
    launch: { reference: string; image: { volumes: readonly string[] } },
    volumes: 'own' | 'new',
    signal: AbortSignal,
  ): Promise<ServingContainer> => {
    const hasFiles = volumes === 'own' && launch.image.volumes.length > 0;
    this.started++;
    this.now += hasFiles ? 1 : 0;
    this.most = Math.max(this.most, this.now);
    const server = createServer(({ url = '' }, response) => {
      if (!PROBES.has(url)) return void setTimeout(() => response.end(launch.reference), 5);
      response.statusCode = this.probeStatus;
      response.end('{}');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    await (this.held ?? delay(20));
    const container = containerOf(server, () => {
      this.now -= hasFiles ? 1 : 0;
      this.running.delete(container);
    });
    this.running.add(container);
    if (signal.aborted) await container.stop();
    signal.throwIfAborted();
    return container;
  };
}

function containerOf(server: Server, gone: () => void): ServingContainer & { kill(): void } {
  const { promise: exited, resolve } = Promise.withResolvers<string>();
  const address = server.address();
  let open = 0;
  let idleSince = performance.now();
  let stopping: Promise<void> | undefined;
  const end = async () => {
    await delay(20);
    server.close();
    server.closeAllConnections();
    gone();
    resolve('The container was stopped.');
  };
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    key: 'key',
    exited,
    get isBusy() {
      return open > 0;
    },
    get idleMs() {
      return open > 0 ? 0 : performance.now() - idleSince;
    },
    take: () => {
      open++;
      return () => {
        open--;
        idleSince = performance.now();
      };
    },
    stop: () => {
      stopping ??= end();
      return stopping;
    },
    kill: () => {
      server.close();
      server.closeAllConnections();
      resolve('The container exited with code 1.');
    },
  };
}

describe('a server of containers', () => {
  let containers: Containers;
  let server: ImageServer;
  let log: LogBook;
  let lines: string[];

  const launchOf = (reference: string, volumes: readonly string[] = ['/data']) => ({
    reference,
    image: { id: reference, digest: undefined, port: 8000, volumes },
    environment: {},
    limits: {},
  });
  async function serve(sleepAfterMs: number, held?: { count: number }): Promise<string> {
    containers = new Containers();
    lines = [];
    log = new LogBook();
    log.follow(({ message }) => lines.push(message));
    server = new ImageServer({
      log,
      logger: makeLogger({ level: 'silent' }),
      access: {
        authenticate: async () => ({ organizationId: '', workspaceId: '', by: { kind: 'anonymous' } }),
        isOwner: async () => true,
        onRevoked: () => {
          if (held !== undefined) held.count++;
          return () => {
            if (held !== undefined) held.count--;
          };
        },
      },
      sleepAfterMs,
      startContainer: containers.start,
    });
    server.prepare(async () => launchOf('first'));
    await server.start(0);
    return server.url ?? '';
  }
  afterEach(() => server.stop());

  it('never has two containers on the same files, while they sleep, wake, die and are rolled out', async () => {
    const url = await serve(15);
    const isOver = new AbortController();
    const statuses = new Set<number>();
    const client = async (pauseMs: number) => {
      while (!isOver.signal.aborted) {
        statuses.add((await fetch(url)).status);
        await delay(pauseMs);
      }
    };
    // A single client leaves pauses in which the container falls asleep.
    const clients = [client(40), client(90)];
    const signal = new AbortController().signal;
    for (let round = 1; round <= 8; round++) {
      // An image without its own files is served beside the previous one.
      await server.rollOut(launchOf(`round ${round}`, round % 4 === 0 ? [] : ['/data']), signal);
      await delay(10 * round);
      if (round % 3 === 0) for (const container of containers.running) container.kill();
    }
    isOver.abort();
    await Promise.all(clients);
    assert.equal(containers.most, 1);
    // One that was killed may have had requests.
    statuses.delete(503);
    assert.deepEqual([...statuses], [200]);
    assert.equal(await (await fetch(url)).text(), 'round 8');
    await server.stop();
    assert.equal(containers.now, 0);
    assert.equal(containers.running.size, 0);
  });

  it('leaves no container behind when it is stopped while it rolls out', async () => {
    await serve(60_000);
    const rolling = server.rollOut(launchOf('next'), new AbortController().signal);
    const stopped = server.stop();
    await assert.rejects(rolling, /stopping/);
    await stopped;
    assert.equal(containers.running.size, 0);
  });

  it('holds nothing for a client that left while the container started', async () => {
    const held = { count: 0 };
    const url = await serve(60_000, held);
    await eventually('one runs', async () => containers.running.size === 1);
    const { promise, resolve } = Promise.withResolvers<void>();
    containers.held = promise;
    for (const container of containers.running) container.kill();
    await eventually('another one starts', async () => containers.started > 1);
    const leaving = request(url, { method: 'POST' });
    leaving.on('error', () => {}).flushHeaders();
    await eventually('the request waits', async () => held.count === 1);
    leaving.destroy();
    await eventually('it is let go', async () => held.count === 0);
    assert.equal(server.busy, false);
    resolve();
  });

  it('adds no more listeners to an answer than Node expects, so that Node warns of no leak', async () => {
    const warnings: Error[] = [];
    const listen = (warning: Error) => warnings.push(warning);
    process.on('warning', listen);
    try {
      const url = await serve(60_000, { count: 0 });
      assert.equal(await (await fetch(url)).text(), 'first');
      // Node reports them a little later.
      await delay(20);
      assert.deepEqual(warnings, []);
    } finally {
      process.off('warning', listen);
    }
  });

  it('does not let a container sleep that does not say whether it has work', async () => {
    const url = await serve(20);
    containers.probeStatus = 401;
    await fetch(url);
    await eventually('the log says so', async () =>
      lines.some((line) => /never sleeps.*status 401/.test(line)),
    );
    const { started } = containers;
    // Long enough to fall asleep several times.
    await delay(100);
    assert.deepEqual([containers.running.size, containers.started], [1, started]);
    containers.probeStatus = 404;
    await eventually('it sleeps', async () => containers.running.size === 0);
  });

  it('starts the container as soon as possible', async () => {
    let isRunning = false;
    await serve(60_000);
    await server.stop();
    server = new ImageServer({
      log,
      logger: makeLogger({ level: 'silent' }),
      access: { authenticate: async () => undefined, isOwner: async () => true },
      sleepAfterMs: 60_000,
      startContainer: containers.start,
    });
    server.prepare(async () => {
      if (!isRunning) throw new Error('Docker is installed, but does not work.');
      return launchOf('late');
    });
    await server.start(0);
    const refused = await fetch(server.url ?? '');
    assert.equal(refused.status, 503);
    assert.match(await refused.text(), /Docker is installed, but does not work\./);
    isRunning = true;
    // Without a request, because the deployment may have crons.
    await eventually('it runs', async () => containers.running.size === 1);
    assert.equal(lines.filter((line) => line.startsWith('Docker is installed')).length, 1);
  });
});
