import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { Dispatcher } from 'undici';
import { Client } from '../../src/client/client.ts';
import { createDispatcher } from '../../src/client/dispatcher.ts';
import { RequestError } from '../../src/client/request-error.ts';
import { interruptsOf } from '../../src/client/run-events.ts';
import type { RunStream } from '../../src/client/run-stream.ts';
import type { RunEvent } from '../../src/contract/agent-server/run-events.ts';
import { type HttpPeer, httpPeer, json } from '../support/http-peer.ts';

const thread = '018f3a5e-0000-7000-8000-000000000001';
const run = '018f3a5e-0000-7000-8000-000000000002';
const run_ = {
  run_id: run,
  thread_id: thread,
  assistant_id: 'a',
  created_at: '',
  updated_at: '',
  metadata: {},
};
const rejoinable = {
  'content-location': `/threads/${thread}/runs/${run}`,
  location: `/threads/${thread}/runs/${run}/stream`,
};

function open(response: ServerResponse, headers = {}): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
}

async function read(stream: RunStream): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

describe("a run's stream", function () {
  this.timeout(20_000);
  let dispatcher: Dispatcher;
  before(() => {
    dispatcher = createDispatcher({});
  });
  after(() => dispatcher.close());

  function start(peer: HttpPeer, options = {}): Promise<RunStream> {
    const url = `${peer.url}${'path' in options ? options.path : ''}`;
    const client = new Client({
      connection: { baseUrl: url, controlPlaneUrl: url, deploymentUrl: url, credentials: { apiKey: 'k' } },
      dispatcher,
    });
    return client.runs.stream(
      { params: { thread_id: thread }, body: { assistant_id: 'agent', stream_mode: ['updates'] } },
      options,
    );
  }

  it('knows its run and thread before the first event', async () => {
    await using peer = await httpPeer((_, response) => {
      open(response, { 'content-location': `/threads/${thread}/runs/${run}` });
      response.end();
    });
    const stream = await start(peer);
    assert.equal(stream.threadId, thread);
    assert.equal(stream.runId, run);
  });

  it('yields typed events, those of subgraphs with their namespace', async () => {
    await using peer = await httpPeer((_, response) => {
      open(response);
      response.write(`id: 1\nevent: metadata\ndata: {"run_id":"${run}","attempt":1}\n\n`);
      response.write('id: 2\r\nevent: updates|research:112\r\ndata: {"plan":{"a":1}}\r\n\r\n: heartbeat\n');
      response.write(
        'id: 3\nevent: messages\ndata: [{"type":"ai","content":"Hi"},{"langgraph_node":"n"}]\n\n',
      );
      response.end('event: news\ndata: plain text\n\n');
    });
    const [metadata, updates, messages, news] = await read(await start(peer));
    assert.deepEqual(metadata, {
      id: '1',
      event: 'metadata',
      kind: 'metadata',
      namespace: [],
      data: { run_id: run, attempt: 1 },
    });
    assert.deepEqual(updates?.namespace, ['research:112']);
    assert.equal(updates?.kind, 'updates');
    assert.ok(messages?.kind === 'messages');
    assert.equal(messages.data[0].content, 'Hi');
    assert.deepEqual([news?.kind, news?.event, news?.data], ['other', 'news', 'plain text']);
  });

  it('treats a malformed event as an unknown one', async () => {
    await using peer = await httpPeer((_, response) => {
      open(response);
      response.end('event: feedback\ndata: 7\n\n');
    });
    const [event] = await read(await start(peer));
    assert.deepEqual([event?.kind, event?.event, event?.data], ['other', 'feedback', 7]);
  });

  it('reports interrupts', async () => {
    await using peer = await httpPeer((_, response) => {
      open(response);
      response.end('event: updates\ndata: {"__interrupt__":[{"id":"i","value":{"ask":1}}]}\n\n');
    });
    const [event] = await read(await start(peer));
    assert.ok(event);
    assert.deepEqual(interruptsOf(event), [{ id: 'i', value: { ask: 1 } }]);
  });

  it('continues after the last event when the connection breaks', async () => {
    await using peer = await httpPeer((request, response) => {
      open(response, rejoinable);
      if (request.method === 'POST') {
        response.write('id: 7\nevent: custom\ndata: 1\n\nid: 8\nevent: custom\ndata: 2\n\n');
        setTimeout(() => response.destroy(), 20);
      } else {
        response.end('id: 9\nevent: custom\ndata: 3\n\nevent: end\ndata: null\n\n');
      }
    });
    const broken: (RequestError | undefined)[] = [];
    const stream = await start(peer, { onRejoin: (error: RequestError | undefined) => broken.push(error) });
    const events = await read(stream);
    assert.deepEqual(
      events.map((event) => event.data),
      [1, 2, 3, null],
    );
    assert.equal(broken[0]?.problem, 'lost');
    assert.equal(peer.seen[1]?.url, `/threads/${thread}/runs/${run}/stream`);
    assert.equal(peer.seen[1]?.headers['last-event-id'], '8');
    assert.equal(peer.seen[1]?.headers['x-api-key'], 'k');
  });

  it('starts over when it broke before the first event', async () => {
    await using peer = await httpPeer((request, response) => {
      open(response, rejoinable);
      if (request.method === 'POST') setTimeout(() => response.destroy(), 20);
      else response.end('id: 1\nevent: custom\ndata: 1\n\nevent: end\ndata: null\n\n');
      response.flushHeaders();
    });
    assert.equal((await read(await start(peer))).length, 2);
    assert.equal(peer.seen[1]?.headers['last-event-id'], '-1');
  });

  it('ends when it closes without an end event and the run has ended', async () => {
    await using peer = await httpPeer((request, response) => {
      if (request.method === 'POST') {
        open(response, rejoinable);
        response.end('id: 1\nevent: custom\ndata: 1\n\n');
      } else json(response, 200, { ...run_, status: 'success' });
    });
    assert.equal((await read(await start(peer))).length, 1);
    assert.deepEqual(
      peer.seen.map(({ method, url }) => `${method} ${url}`),
      [`POST /threads/${thread}/runs/stream`, `GET /threads/${thread}/runs/${run}`],
    );
  });

  it('is rejoined when it closes without an end event and the run has not ended', async () => {
    await using peer = await httpPeer((request, response) => {
      if (request.url.endsWith(run)) return json(response, 200, { ...run_, status: 'running' });
      open(response, rejoinable);
      if (request.method === 'POST') response.end('id: 1\nevent: custom\ndata: 1\n\n');
      else response.end('id: 2\nevent: error\ndata: {"error":"E","message":"m"}\n\n');
    });
    const events = await read(await start(peer));
    assert.deepEqual(
      events.map((event) => event.kind),
      ['custom', 'error'],
    );
  });

  it('ends after an error or end event without another request', async () => {
    await using peer = await httpPeer((_, response) => {
      open(response, rejoinable);
      response.end('event: error\ndata: {"error":"ValueError","message":"no"}\n\n');
    });
    const [event] = await read(await start(peer));
    assert.ok(event?.kind === 'error');
    assert.equal(event.data.message, 'no');
    assert.equal(peer.seen.length, 1);
  });

  it('throws when it breaks and the server sent no Location', async () => {
    await using peer = await httpPeer((_, response) => {
      open(response);
      response.write('event: custom\ndata: 1\n\n');
      setTimeout(() => response.destroy(), 20);
    });
    const stream = await start(peer);
    await assert.rejects(read(stream), (error) => error instanceof RequestError && error.problem === 'lost');
  });

  it('does not follow a Location to another host, which would get the key', async () => {
    await using stranger = await httpPeer((_, response) => void response.end());
    await using peer = await httpPeer((request, response) => {
      open(response, { ...rejoinable, location: `${stranger.url}/threads/${thread}/runs/${run}/stream` });
      if (request.method === 'GET') return void response.end('event: end\ndata: null\n\n');
      response.flushHeaders();
      setTimeout(() => response.destroy(), 20);
    });
    await read(await start(peer));
    assert.equal(stranger.seen.length, 0);
    assert.equal(peer.seen[1]?.url, `/threads/${thread}/runs/${run}/stream`);
  });

  it('resolves Location below the path a deployment is mounted at', async () => {
    await using peer = await httpPeer((request, response) => {
      open(response, rejoinable);
      if (request.method === 'GET') return void response.end('event: end\ndata: null\n\n');
      response.flushHeaders();
      setTimeout(() => response.destroy(), 20);
    });
    await read(await start(peer, { path: '/mounted' }));
    assert.equal(peer.seen[1]?.url, `/mounted/threads/${thread}/runs/${run}/stream`);
  });

  it('treats silence after heartbeats as a dead connection', async () => {
    await using peer = await httpPeer((request, response) => {
      open(response, rejoinable);
      if (request.method === 'GET') return void response.end('event: end\ndata: null\n\n');
      response.write(': heartbeat\n');
      setTimeout(() => response.write(': heartbeat\n'), 100);
    });
    const events = await read(await start(peer));
    assert.deepEqual(
      events.map((event) => event.kind),
      ['end'],
    );
  });

  it('treats silence from its start as a dead connection if heartbeats are expected', async () => {
    await using peer = await httpPeer((request, response) => {
      open(response, rejoinable);
      if (request.method === 'GET') return void response.end('event: end\ndata: null\n\n');
      response.flushHeaders();
    });
    await read(await start(peer, { silenceMs: 100 }));
    assert.equal(peer.seen.length, 2);
  });

  it('stops when aborted, with the signal’s reason', async () => {
    await using peer = await httpPeer((_, response) => {
      open(response, rejoinable);
      response.write('id: 1\nevent: custom\ndata: 1\n\n');
    });
    const aborter = new AbortController();
    const stream = await start(peer, { signal: aborter.signal });
    setTimeout(() => aborter.abort(new Error('enough')), 50);
    await assert.rejects(read(stream), { message: 'enough' });
    assert.equal(peer.seen.length, 1);
  });

  it('closes its connection when the loop is left', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    await using peer = await httpPeer((_, response) => {
      closed = new Promise((resolve) => response.once('close', resolve));
      open(response, rejoinable);
      response.write('id: 1\nevent: custom\ndata: 1\n\n');
    });
    for await (const _ of await start(peer)) break;
    await closed;
    assert.equal(peer.seen.length, 1);
  });
});
