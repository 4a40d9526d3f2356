import assert from 'node:assert/strict';
import { once } from 'node:events';
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
});
