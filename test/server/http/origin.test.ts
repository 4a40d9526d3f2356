import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type ListenOptions, Server } from 'node:net';
import { mock } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket, WebSocketServer } from 'ws';
import { Origin } from '../../../src/server/http/origin.ts';
import { patience } from '../../support/wait.ts';

describe('an origin', () => {
  it('closes open WebSockets when it closes', async () => {
    const server = new WebSocketServer({ noServer: true });
    const origin = await Origin.listen(
      0,
      (_, response) => response.end(),
      (request, socket, head) => server.handleUpgrade(request, socket, head, () => {}),
    );
    const socket = new WebSocket(origin.url.replace('http', 'ws'));
    await once(socket, 'open');
    const closed = once(socket, 'close');
    await origin.close();
    await closed;
    assert.equal(socket.readyState, WebSocket.CLOSED);
  });

  describe('on a machine without IPv6', () => {
    before(() => {
      const { listen } = Server.prototype;
      mock.method(
        Server.prototype,
        'listen',
        function (this: Server, place: ListenOptions, done: () => void) {
          if (place.host?.includes(':') !== true) return Reflect.apply(listen, this, [place, done]);
          queueMicrotask(() =>
            this.emit('error', Object.assign(new Error('no IPv6'), { code: 'EAFNOSUPPORT' })),
          );
          return this;
        },
      );
    });
    after(() => mock.restoreAll());

    it('does without ::1', async () => {
      const origin = await Origin.listen(0, (_, response) => response.end('here'));
      assert.equal(await (await fetch(origin.url)).text(), 'here');
      await origin.close();
    });

    it('fails if it should listen on all IPv6 addresses', async () => {
      await assert.rejects(
        Origin.listen(0, () => {}, undefined, { networkAddress: '::' }),
        { code: 'EAFNOSUPPORT' },
      );
    });
  });

  describe('with clients that stop sending', () => {
    let origin: Origin;
    before(async () => {
      origin = await Origin.listen(
        0,
        (request, response) => {
          request.resume().once('end', () => response.end('all of it'));
        },
        undefined,
        { stallTimeouts: { headersMs: 200, bodyMs: 200, checkEveryMs: 20 } },
      );
    });
    after(() => origin.close());

    /** The bytes that were received before the other side ended the connection. */
    async function sent(text: string, drip?: { text: string; checkEveryMs: number }): Promise<string> {
      const socket = connect(origin.port, '127.0.0.1');
      let answer = '';
      socket.on('data', (data) => {
        answer += String(data);
      });
      // An end that is not expected is what is waited for.
      socket.on('error', () => {});
      socket.write(text);
      const timer = drip && setInterval(() => socket.write(drip.text), drip.checkEveryMs);
      // `once` of `node:events` would treat a reset as a failure.
      await new Promise((resolve) => socket.once('close', resolve));
      clearInterval(timer);
      return answer;
    }

    for (const [what, text, drip] of [
      ['before the first byte', '', undefined],
      ['in the headers', 'GET / HTTP/1.1\r\nHost: localhost\r\n', undefined],
      ['in the body', 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nabc', undefined],
      [
        'but for a byte now and then',
        'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999\r\n\r\n',
        { text: 'a', checkEveryMs: 100 },
      ],
    ] as const) {
      it(`disconnects one that stops ${what}`, async () => {
        assert.doesNotMatch(await sent(text, drip), /200 OK/);
      });
    }

    describe('with slow clients', () => {
      /** Client and server share this process, so a delay affects both. */
      const STALLED_MS = 200 * patience;
      const LONG_MS = 3.5 * STALLED_MS;
      let slow: Origin;
      before(async () => {
        const sockets = new WebSocketServer({ noServer: true });
        sockets.on('connection', (socket) => setTimeout(() => socket.send('late'), LONG_MS));
        slow = await Origin.listen(
          0,
          async (request, response) => {
            if (request.url === '/stream') {
              response.write('first ');
              request.resume();
              await delay(LONG_MS);
            }
            if (request.url === '/busy') await delay(LONG_MS);
            let bytes = 0;
            for await (const chunk of request) bytes += chunk.length;
            response.end(`read ${bytes}`);
          },
          (request, socket, head) =>
            sockets.handleUpgrade(request, socket, head, (open) => sockets.emit('connection', open)),
          { stallTimeouts: { headersMs: STALLED_MS, bodyMs: STALLED_MS, checkEveryMs: 20 } },
        );
      });
      after(() => slow.close());

      const post = async (
        path: string,
        body: string | Uint8Array | ReadableStream | AsyncIterable<Uint8Array>,
      ) => {
        const response = await fetch(slow.url + path, { method: 'POST', body, duplex: 'half' });
        return response.text();
      };

      it('accepts a body at a few hundred bytes per second', async () => {
        // At the same rate, whatever the patience of the test run.
        const bytes = 15 * patience;
        const body = async function* () {
          for (let piece = 0; piece < 14; piece++) {
            yield Buffer.alloc(bytes);
            await delay(STALLED_MS / 4);
          }
        };
        assert.equal(await post('/', body()), `read ${14 * bytes}`);
      });

      it('accepts a large body that is read late', async () => {
        const size = 40 * 1_048_576;
        assert.equal(await post('/busy', new Uint8Array(size)), `read ${size}`);
      });

      it('continues a stream after a long silence, with and without a body', async () => {
        assert.equal(await (await fetch(`${slow.url}/stream`)).text(), 'first read 0');
        assert.match(await post('/stream', 'x'), /^first /);
      });

      it('keeps a silent WebSocket open', async () => {
        const socket = new WebSocket(slow.url.replace('http', 'ws'));
        const [message] = await once(socket, 'message');
        assert.equal(String(message), 'late');
        socket.close();
      });
    });
  });
});
