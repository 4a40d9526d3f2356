import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import {
  forwardRequest,
  forwardUpgrade,
  NotReachedError,
} from '../../../../src/server/control-plane/images/forward-request.ts';
import { portOf } from '../../../../src/server/http/port-of.ts';

const CONTAINER_KEY = 'the-key-of-the-container';

describe('a request that is sent on to a container', () => {
  const seen: IncomingHttpHeaders[] = [];
  let container: Server;
  before(async () => {
    container = createServer(({ headers }, response) => {
      seen.push(headers);
      response.end('{}');
    });
    await once(container.listen(0, '127.0.0.1'), 'listening');
  });
  after(() => container.close());
  beforeEach(() => {
    seen.length = 0;
  });

  /** A server in front of the container, which waits before it sends a request on. */
  async function front(wait: (left: Promise<unknown>) => Promise<unknown>) {
    const { promise: forwarded, resolve } = Promise.withResolvers<void>();
    const server = createServer((incoming, response) => {
      const backend = { port: portOf(container), key: CONTAINER_KEY };
      void wait(once(response, 'close'))
        .then(() => forwardRequest(incoming, response, backend))
        .then(resolve);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return { forwarded, port: portOf(server), [Symbol.dispose]: () => server.close() };
  }

  it('has no bearer token of the caller when its x-api-key is empty', async () => {
    using server = await front(async () => {});
    for (const key of ['', ' ,']) {
      const headers = { authorization: 'Bearer secret', 'x-api-key': key };
      await fetch(`http://127.0.0.1:${server.port}/`, { headers });
    }
    await fetch(`http://127.0.0.1:${server.port}/`, {
      headers: { authorization: 'Bearer for-the-agent', 'x-api-key': 'a-key' },
    });
    assert.deepEqual(
      seen.map((headers) => [headers['x-api-key'], headers.authorization]),
      [
        [CONTAINER_KEY, undefined],
        [CONTAINER_KEY, undefined],
        [CONTAINER_KEY, 'Bearer for-the-agent'],
      ],
    );
  });

  it('leaves no listener on the answer, or on the socket, when it did not reach a server', async () => {
    const closed = createServer();
    await once(closed.listen(0, '127.0.0.1'), 'listening');
    const backend = { port: portOf(closed), key: CONTAINER_KEY };
    closed.close();
    const counts: number[][] = [];
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const server = createServer(async (incoming, response) => {
      const before = response.listenerCount('close');
      await assert.rejects(forwardRequest(incoming, response, backend), NotReachedError);
      counts.push([before, response.listenerCount('close')]);
      response.end();
    });
    server.on('upgrade', async (incoming, socket, head) => {
      const before = socket.listenerCount('close');
      await assert.rejects(forwardUpgrade(incoming, socket, head, backend), NotReachedError);
      counts.push([before, socket.listenerCount('close')]);
      socket.destroy();
      resolve();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    await fetch(`http://127.0.0.1:${portOf(server)}/`);
    const headers = { connection: 'Upgrade', upgrade: 'websocket' };
    request({ port: portOf(server), host: '127.0.0.1', headers })
      .on('error', () => {})
      .end();
    await done;
    server.close();
    assert.equal(counts.length, 2);
    for (const [before, after] of counts) assert.equal(after, before);
  });

  it('is not sent when the client left while the container started', async () => {
    using server = await front((left) => left);
    const leaving = request({ port: server.port, host: '127.0.0.1', method: 'POST' });
    leaving.on('error', () => {}).flushHeaders();
    await once(leaving, 'socket');
    setTimeout(() => leaving.destroy(), 100);
    await server.forwarded;
    assert.deepEqual(seen, []);
  });
});
