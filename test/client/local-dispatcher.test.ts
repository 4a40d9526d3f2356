import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Dispatcher } from 'undici';
import request from 'undici/lib/api/api-request.js';
import { LocalDispatcher } from '../../src/client/local-dispatcher.ts';
import { portOf } from '../../src/server/http/port-of.ts';
import { eventually } from '../support/wait.ts';

describe('the HTTP client for servers on this machine', () => {
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  const server = createServer((request, response) => answer(request, response));
  let dispatcher: LocalDispatcher;
  let origin: string;

  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${portOf(server)}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    dispatcher = new LocalDispatcher();
  });
  afterEach(() => dispatcher.destroy());

  const ask = (options: Partial<Omit<Dispatcher.RequestOptions, 'origin'>> & { origin?: string } = {}) =>
    request.call(dispatcher, { origin, path: '/', method: 'GET', ...options });

  it('sends method, path, headers and body, and reads status, headers and body, on one connection', async () => {
    const ports = new Set<number | undefined>();
    answer = async (request, response) => {
      ports.add(request.socket.remotePort);
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const { method, url, headers } = request;
      response.writeHead(201, { 'set-cookie': ['a=1', 'b=2'] });
      response.end(JSON.stringify({ method, url, body, key: headers['x-api-key'] }));
    };
    for (const body of ['{"a":"ü"}', '']) {
      const {
        statusCode,
        headers,
        body: read,
      } = await ask({
        method: 'POST',
        path: '/there?x=1&y=%2F',
        headers: { 'x-api-key': 'key' },
        body,
      });
      assert.equal(statusCode, 201);
      assert.deepEqual(headers['set-cookie'], ['a=1', 'b=2']);
      assert.deepEqual(await read.json(), { method: 'POST', url: '/there?x=1&y=%2F', body, key: 'key' });
    }
    assert.equal(ports.size, 1);
  });

  it('makes a server wait while its answer is not being read, and loses nothing of it', async () => {
    const part = Buffer.alloc(65_536, 'x');
    const parts = 1_000;
    let written = 0;
    answer = async (_request, response) => {
      for (; written < parts; written++) if (!response.write(part)) await once(response, 'drain');
      response.end();
    };
    const { body } = await ask();
    let before = -1;
    await eventually('the server waits', () => {
      const waits = written > 0 && written === before;
      before = written;
      return waits;
    });
    assert.ok(written < parts, `${written} parts were sent to nobody`);
    let bytes = 0;
    for await (const chunk of body) bytes += (chunk as Buffer).length;
    assert.equal(bytes, parts * part.length);
  });

  it('ends a request with the reason of its signal, before and during the answer', async () => {
    const gone: string[] = [];
    answer = (request, response) => {
      response.on('close', () => gone.push(request.url ?? ''));
      if (request.url === '/silent') return;
      response.writeHead(200);
      response.write('first');
    };
    const reason = new Error('enough');
    const waiting = new AbortController();
    const silent = ask({ path: '/silent', signal: waiting.signal });
    setImmediate(() => waiting.abort(reason));
    await assert.rejects(silent, reason);
    const reading = new AbortController();
    const { body } = await ask({ signal: reading.signal });
    await assert.rejects(async () => {
      for await (const _ of body) reading.abort(reason);
    }, reason);
    await eventually('the server has noticed', () => gone.includes('/'));
  });

  it('distinguishes an unreachable server from one that breaks the connection', async () => {
    answer = (request, response) => {
      if (request.url === '/half') response.write('first', () => request.socket.destroy());
      else request.socket.destroy();
    };
    const lost = { code: 'ECONNRESET', message: 'other side closed' };
    await assert.rejects(ask(), lost);
    const { body } = await ask({ path: '/half' });
    await assert.rejects(body.text(), lost);
    const other = createServer();
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const free = `http://127.0.0.1:${portOf(other)}`;
    other.close();
    await once(other, 'close');
    await assert.rejects(ask({ origin: free }), { code: 'ECONNREFUSED', syscall: 'connect' });
  });

  it('ends requests in progress when it is destroyed', async () => {
    answer = (_request, response) => void response.write('first');
    const { body } = await ask();
    await dispatcher.destroy();
    await assert.rejects(body.text(), { message: 'other side closed' });
  });
});
