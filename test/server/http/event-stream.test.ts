import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { EventStream } from '../../../src/server/http/event-stream.ts';
import { Origin } from '../../../src/server/http/origin.ts';
import { eventually } from '../../support/wait.ts';

describe('an event stream whose client disconnected before it was opened', () => {
  it('is closed, and sends no heartbeats', async () => {
    const received = Promise.withResolvers<void>();
    const opened = Promise.withResolvers<EventStream>();
    const origin = await Origin.listen(0, (_, response) => {
      received.resolve();
      response.once('close', () => setImmediate(() => opened.resolve(new EventStream(response, {}))));
    });
    const client = connect(origin.port, '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await received.promise;
    client.destroy();
    const stream = await opened.promise;
    let isClosed = false;
    void stream.closed.then(() => {
      isClosed = true;
    });
    await eventually('its end is known', () => isClosed);
    assert.equal(stream.isClosed, true);
    await origin.close();
  });
});
