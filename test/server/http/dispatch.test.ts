import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { z } from 'zod';
import { endpoint } from '../../../src/contract/endpoint.ts';
import { Uuid } from '../../../src/contract/fields.ts';
import { dispatcher } from '../../../src/server/http/dispatch.ts';
import { HttpError } from '../../../src/server/http/errors.ts';
import { Origin, PortTakenError } from '../../../src/server/http/origin.ts';
import { loopbackOnly } from '../../../src/server/http/origin-policy.ts';
import { jsonObject, PendingReply, Reply } from '../../../src/server/http/reply.ts';
import { Router } from '../../../src/server/http/router.ts';
import { makeLogger } from '../../../src/server/logger.ts';
import { patience } from '../../support/wait.ts';

const table = {
  echo: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/things/{thing_id}',
    summary: 'Echo',
    credentials: 'deployment',
    right: 'run',
    auth: 'authenticated',
    params: z.object({ thing_id: Uuid }),
    query: z.object({ limit: z.string().transform(Number).default(10) }),
    body: z.object({ name: z.string(), tags: z.array(z.string()).default([]) }),
    responses: { 201: z.unknown() },
  }),
  secret: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/secret',
    summary: 'Needs a key',
    credentials: 'api-key',
    right: 'read',
    responses: { 204: null },
  }),
  link: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/links/{token}',
    summary: 'Pre-signed',
    credentials: 'presigned',
    params: z.object({ token: z.string() }),
    responses: { 200: z.object({ ok: z.boolean() }) },
  }),
  slow: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/slow',
    summary: 'Takes its time',
    credentials: 'none',
    responses: { 200: z.unknown() },
  }),
  broken: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/broken',
    summary: 'Throws',
    credentials: 'none',
    responses: { 200: z.unknown() },
  }),
  events: endpoint({
    kind: 'event-stream',
    method: 'GET',
    path: '/events',
    summary: 'Streams',
    credentials: 'none',
  }),
};

describe('an origin', () => {
  let origin: Origin;

  before(async () => {
    const router = new Router().mount(
      table,
      {
        echo: ({ params, query, body }) =>
          new Reply({ ...params, ...query, ...body }, { headers: { 'x-extra': 'yes' } }),
        secret: () => undefined,
        link: () => ({ ok: true }),
        slow: () =>
          new PendingReply(new Promise((resolve) => setTimeout(() => resolve({ late: true }), 1_300))),
        broken: () => {
          throw new TypeError('secret detail');
        },
        events: async (_, open) => {
          const stream = open({ 'content-location': '/events/1' });
          stream.send('first', { n: 1 }, '1');
          stream.write('id: 2\nevent: second\ndata: {}\n\n');
          stream.end();
          await stream.closed;
        },
      },
      ['', '/api/v1'],
    );
    origin = await Origin.listen(
      0,
      dispatcher({
        router,
        logger: makeLogger({ level: 'silent' }),
        cors: () => loopbackOnly,
        bodyLimit: 10_000,
        authenticate: ({ headers }, { credentials }) =>
          credentials === 'api-key' && headers['x-api-key'] === undefined
            ? Promise.reject(new HttpError(401, 'Send an API key.'))
            : Promise.resolve({ organizationId: 'o', workspaceId: 'w', by: { kind: 'anonymous' } }),
      }),
    );
  });
  after(() => origin.close());

  const id = '01a1fe14-6089-7535-9336-db43b4c04e97';
  const post = (path: string, body: string | Buffer<ArrayBuffer>, headers: Record<string, string> = {}) =>
    fetch(`${origin.url}${path}`, {
      method: 'POST',
      body,
      headers,
      signal: AbortSignal.timeout(5_000 * patience),
    });

  it('passes validated values to a handler, and answers with its status, body and headers', async () => {
    const response = await post(`/things/${id.toUpperCase()}?limit=3`, '{"name":"n"}');
    assert.equal(response.status, 201);
    assert.equal(response.headers.get('x-extra'), 'yes');
    assert.ok(response.headers.get('x-request-id'));
    assert.deepEqual(await response.json(), { thing_id: id, limit: 3, name: 'n', tags: [] });
  });

  it('serves a table under every prefix, with or without a slash at the end', async () => {
    assert.equal((await post(`/api/v1/things/${id}/`, '{"name":"n"}')).status, 201);
  });

  it('reports an invalid body field as loc, msg and type', async () => {
    const response = await post(`/things/${id}`, '{"tags":[1]}');
    assert.equal(response.status, 422);
    const { detail } = z
      .object({ detail: z.array(z.object({ loc: z.array(z.unknown()), msg: z.string(), type: z.string() })) })
      .parse(await response.json());
    assert.deepEqual(
      detail.map(({ loc, type }) => ({ loc, type })),
      [
        { loc: ['body', 'name'], type: 'missing' },
        { loc: ['body', 'tags', 0], type: 'invalid_type' },
      ],
    );
  });

  it('reports an invalid path parameter', async () => {
    const response = await post('/things/nonsense', '{"name":"n"}');
    assert.equal(response.status, 422);
    assert.match(await response.text(), /"loc":\["path","thing_id"\]/);
  });

  it('reports a body that is not valid JSON', async () => {
    const response = await post(`/things/${id}`, '{"name":');
    assert.equal(response.status, 422);
    assert.match(await response.text(), /json_invalid/);
  });

  it('refuses a body that is nested too deeply', async () => {
    const nested = (levels: number) => `{"name":"n","more":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    assert.equal((await post(`/things/${id}`, nested(400))).status, 201);
    const response = await post(`/things/${id}`, nested(4_000));
    assert.equal(response.status, 422);
    assert.match(await response.text(), /nested more than 512 levels/);
  });

  it('reads compressed bodies, and refuses those that decompress to too much', async () => {
    const small = JSON.stringify({ name: 'packed' });
    const gzip = await post(`/things/${id}`, gzipSync(small), { 'content-encoding': 'gzip' });
    assert.equal(gzip.status, 201);
    const zstd = await post(`/things/${id}`, zstdCompressSync(small), { 'content-encoding': 'zstd' });
    assert.equal(zstd.status, 201);
    const bomb = gzipSync(JSON.stringify({ name: 'x'.repeat(5_000_000) }));
    assert.ok(bomb.length < 10_000);
    assert.equal((await post(`/things/${id}`, bomb, { 'content-encoding': 'gzip' })).status, 413);
  });

  it('refuses a body over the limit or with a wrong Content-Encoding', async () => {
    assert.equal((await post(`/things/${id}`, JSON.stringify({ name: 'x'.repeat(20_000) }))).status, 413);
    assert.equal((await post(`/things/${id}`, 'plain', { 'content-encoding': 'gzip' })).status, 400);
    assert.equal((await post(`/things/${id}`, 'plain', { 'content-encoding': 'rot13' })).status, 415);
  });

  it('reports the methods of a path, and a missing path', async () => {
    const wrong = await fetch(`${origin.url}/secret`, { method: 'DELETE' });
    assert.equal(wrong.status, 405);
    assert.equal(wrong.headers.get('allow'), 'GET');
    assert.equal((await fetch(`${origin.url}/nowhere`)).status, 404);
  });

  it('requires a key where the contract does', async () => {
    assert.equal((await fetch(`${origin.url}/secret`)).status, 401);
    assert.equal((await fetch(`${origin.url}/secret`, { headers: { 'x-api-key': 'k' } })).status, 204);
  });

  it('reveals nothing about an unexpected error except its request ID', async () => {
    const response = await fetch(`${origin.url}/broken`);
    assert.equal(response.status, 500);
    const text = await response.text();
    assert.doesNotMatch(text, /secret detail/);
    assert.ok(text.includes(response.headers.get('x-request-id') ?? '?'));
  });

  it('keeps a slow answer alive with white space', async () => {
    const response = await fetch(`${origin.url}/slow`);
    const text = await response.text();
    assert.match(text, /^\n/);
    assert.deepEqual(JSON.parse(text), { late: true });
  });

  it('streams events as they are written', async () => {
    const response = await fetch(`${origin.url}/events`);
    assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
    assert.equal(response.headers.get('content-location'), '/events/1');
    assert.equal(
      await response.text(),
      'id: 1\nevent: first\ndata: {"n":1}\n\nid: 2\nevent: second\ndata: {}\n\n',
    );
  });

  it('answers only to this machine’s host names', async () => {
    assert.equal(await statusFor(origin, '/slow', { host: 'evil.example' }), 403);
    assert.equal(await statusFor(origin, '/secret', { host: `localhost:${origin.port}` }), 401);
    assert.equal(await statusFor(origin, '/secret', { host: `[::1]:${origin.port}` }), 401);
  });

  it('answers pages on this machine and refuses those of others', async () => {
    const local = await fetch(`${origin.url}/events`, { headers: { origin: 'http://localhost:3000' } });
    assert.equal(local.headers.get('access-control-allow-origin'), 'http://localhost:3000');
    for (const app of ['app://localhost', 'vscode-webview://localhost', 'file://localhost', 'null']) {
      const { status } = await fetch(`${origin.url}/events`, { headers: { origin: app } });
      assert.equal(status, 403, app);
    }
    const exposed = local.headers.get('access-control-expose-headers')?.split(', ') ?? [];
    for (const name of ['content-location', 'mcp-session-id', 'www-authenticate']) {
      assert.ok(exposed.includes(name), name);
    }
    assert.equal(
      (await fetch(`${origin.url}/events`, { headers: { origin: 'https://evil.example' } })).status,
      403,
    );
    const preflight = await fetch(`${origin.url}/secret`, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'GET' },
    });
    assert.equal(preflight.status, 403);
  });

  it('accepts pre-signed links from any page', async () => {
    const response = await post('/links/t', '', { origin: 'https://anywhere.example' });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('access-control-allow-origin'), '*');
  });

  it('reports a port in use', async () => {
    await assert.rejects(
      Origin.listen(origin.port, () => {}),
      (error) => {
        assert.ok(error instanceof PortTakenError);
        assert.match(error.message, new RegExp(String(origin.port)));
        return true;
      },
    );
  });
});

describe('an object of JSON text', () => {
  it('contains the fields and the raw members', () => {
    assert.deepEqual(JSON.parse(jsonObject({ a: 1 }, { b: '{"c":2}' }).text), { a: 1, b: { c: 2 } });
    assert.deepEqual(JSON.parse(jsonObject({}, { b: '[]' }).text), { b: [] });
    assert.deepEqual(JSON.parse(jsonObject({ a: 1 }, {}).text), { a: 1 });
  });
});

/** `fetch` does not send a custom Host header. */
function statusFor(
  origin: Origin,
  path: string,
  headers: Record<string, string>,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    httpRequest({ host: '127.0.0.1', port: origin.port, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}
