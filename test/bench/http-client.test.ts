import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { tenNodes } from '../../bench/harness/graphs.ts';
import { HttpClient } from '../../bench/harness/http-client.ts';

const update = 'event: updates\ndata: {"step":1}\n\n';

describe('the client of the benchmark', () => {
  let server: Server;
  let client: HttpClient;
  let events = 10;
  let status = 200;

  before(async () => {
    server = createServer(async (_request, response) => {
      response.writeHead(status, { 'content-type': 'text/event-stream' });
      response.write('event: metadata\ndata: {}\n\neve');
      await delay(20);
      // The first event comes in two pieces, as it may on any connection.
      response.write(`${update.repeat(events)}`.slice(3));
      await delay(20);
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    assert.ok(address && typeof address === 'object');
    client = new HttpClient(`http://127.0.0.1:${address.port}`);
  });

  after(async () => {
    await client.close();
    server.close();
  });

  it('measures the first byte, the first event of the graph and the end separately', async () => {
    const run = await client.streamRun('thread', tenNodes);
    assert.ok(run.firstByteMs < run.firstEventMs);
    assert.ok(run.firstEventMs < run.endMs);
    assert.ok(run.body.endsWith(update));
  });

  it('does not count a run whose events are missing', async () => {
    events = 9;
    await assert.rejects(client.streamRun('thread', tenNodes), /9 of 10 updates events of ten_nodes/);
    events = 10;
  });

  it('does not count a run that was refused', async () => {
    status = 503;
    await assert.rejects(client.streamRun('thread', tenNodes), /answered 503/);
    status = 200;
  });
});
