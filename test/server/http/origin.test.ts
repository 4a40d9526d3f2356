import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket, WebSocketServer } from 'ws';
import { Origin } from '../../../src/server/http/origin.ts';

describe('an origin', () => {
  it('closes, and ends the sockets that are open', async () => {
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

  describe('whose clients stop sending', () => {
    let origin: Origin;
    before(async () => {
      origin = await Origin.listen(
        0,
        (request, response) => {
          request.resume().once('end', () => response.end('all of it'));
        },
        undefined,
        { headersMs: 200, bodyMs: 200, everyMs: 20 },
      );
    });
    after(() => origin.close());

    /** What came back by the time the connection was ended by the other side. */
    async function sent(text: string, drip?: { text: string; everyMs: number }): Promise<string> {
      const socket = connect(origin.port, '127.0.0.1');
      let answer = '';
      socket.on('data', (data) => {
        answer += String(data);
      });
      // An end that is not expected is what is waited for.
      socket.on('error', () => {});
      socket.write(text);
      const timer = drip && setInterval(() => socket.write(drip.text), drip.everyMs);
      await once(socket, 'close');
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
        { text: 'a', everyMs: 100 },
      ],
    ] as const) {
      it(`lets go of one that stops ${what}`, async () => {
        assert.doesNotMatch(await sent(text, drip), /200 OK/);
      });
    }

    it('takes a long body that makes progress to its end, and keeps what it streams open', async () => {
      const pieces = 30;
      const body = async function* () {
        for (let piece = 0; piece < pieces; piece++) {
          yield Buffer.alloc(1_000);
          await delay(20);
        }
      };
      const response = await fetch(origin.url, { method: 'POST', body: body(), duplex: 'half' });
      assert.equal(await response.text(), 'all of it');
    });
  });
});
