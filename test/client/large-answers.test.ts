import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Dispatcher } from 'undici';
import { Client } from '../../src/client/client.ts';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { type HttpPeer, httpPeer } from '../support/http-peer.ts';

const MIB = 1_048_576;
const PIECE = Buffer.alloc(MIB, 'x');

describe('the response of a platform that never ends', function () {
  this.timeout(60_000);
  let peer: HttpPeer;
  let dispatcher: Dispatcher;
  /** The size of the last response until its reader disconnected. */
  let sentMib: Promise<number>;
  before(async () => {
    dispatcher = createDispatcher({});
    peer = await httpPeer(({ url }, response) => {
      const isStream = url.includes('/stream');
      response.writeHead(url.startsWith('/store') ? 500 : 200, {
        'content-type': isStream ? 'text/event-stream' : 'application/json',
      });
      response.write(isStream ? 'event: values\ndata: "' : '{"detail":"It is a reason. ');
      sentMib = sendForever(response);
    });
  });
  after(async () => {
    await dispatcher.destroy();
    await peer[Symbol.asyncDispose]();
  });

  async function sendForever(response: ServerResponse): Promise<number> {
    const closed = once(response, 'close').then(() => true);
    for (let mib = 0; ; mib++) {
      if (response.destroyed) return mib;
      if (response.write(PIECE)) continue;
      await Promise.race([once(response, 'drain'), closed]);
    }
  }

  const client = () =>
    new Client({
      connection: {
        baseUrl: peer.url,
        controlPlaneUrl: peer.url,
        deploymentUrl: peer.url,
        credentials: { apiKey: 'key' },
      },
      dispatcher,
      retries: 0,
    });

  it('is read up to the size limit of an error message if it is an error', async () => {
    const item = client().store.put({ body: { namespace: ['a'], key: 'k', value: {} } });
    await assert.rejects(item, { problem: 'status', status: 500, message: /It is a reason\. x{200}/ });
    assert.ok((await sentMib) < 32);
  });

  it('is read up to the size limit of a response, which the error names', async () => {
    const system = client().system.info();
    await assert.rejects(system, {
      problem: 'unreadable',
      message: `${peer.url} answered GET /info with more than 256 MiB. Ask for less at a time.`,
    });
    assert.ok((await sentMib) < 300);
  });

  it('is read up to the size limit of an event, which the error names', async () => {
    const stream = await client().runs.streamStateless({ body: { assistant_id: 'agent', input: {} } });
    await assert.rejects(
      async () => {
        for await (const _ of stream) assert.fail('There is no event.');
      },
      { problem: 'unreadable', message: /^http:\S+ sent an event of more than 256 MiB \(POST / },
    );
    assert.ok((await sentMib) < 300);
  });
});
