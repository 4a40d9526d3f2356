import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { PROTOCOL_VERSION } from '../../../src/runtime/protocol/protocol.ts';
import {
  type PythonProject,
  pythonProject,
  pythonRuntime,
  requirePython,
} from '../../support/python-projects.ts';
import { RuntimeHost } from '../../support/runtime/runtime-host.ts';
import { eventually } from '../../support/wait.ts';

const extras = `
import asyncio
import sys
from langgraph_sdk import Auth

auth = Auth()

class ServiceError(Exception):
    """An error of a client for another service, with the headers of that service's response."""
    status_code = 401
    headers = {"Set-Cookie": "of=another"}

@auth.authenticate
async def who(authorization: str | None, path: str):
    if authorization is None:
        raise Auth.exceptions.HTTPException(
            status_code=401, detail="Say who you are.", headers={"WWW-Authenticate": "Bearer"}
        )
    if authorization == "Bearer elsewhere":
        raise ServiceError("Not known there.")
    return {"identity": authorization.removeprefix("Bearer "), "permissions": ["read"], "team": path}

@auth.on
async def nobody(ctx, value):
    return False

@auth.on.threads.create
async def own(ctx, value):
    value.setdefault("metadata", {})["owner"] = ctx.user.identity
    return {"owner": ctx.user.identity}

def embed(texts):
    return [[float(len(text)), 1.0] for text in texts]

class Model:
    async def aembed_documents(self, texts):
        return [[0.5] for _ in texts]

model = Model()
started = []

async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        assert (await receive())["type"] == "lifespan.startup"
        started.append(True)
        await send({"type": "lifespan.startup.complete"})
        await receive()
        return
    request = await receive()
    if scope["path"] == "/exit":
        sys.exit(3)
    if scope["path"] == "/cancel":
        raise asyncio.CancelledError
    if scope["path"] == "/missing":
        await send({"type": "http.response.start", "status": 404, "headers": []})
        await send({"type": "http.response.body", "body": b""})
        return
    headers = [(b"content-type", b"text/plain"), (b"x-started", str(len(started)).encode())]
    await send({"type": "http.response.start", "status": 201, "headers": headers})
    await send({"type": "http.response.body", "body": request["body"] + b" " + scope["query_string"], "more_body": True})
    await asyncio.sleep(0.01)
    await send({"type": "http.response.body", "body": b" end"})
`;

describe('the app, auth and embeddings of a Python project', () => {
  let project: PythonProject;
  let host: RuntimeHost;

  before(async function () {
    const python = await requirePython(this, 'langgraph-1.2');
    project = await pythonProject({ python, empty: true, files: { 'extras.py': extras } });
    host = new RuntimeHost(pythonRuntime(project));
    await host.connection.request('initialize', {
      protocol_version: PROTOCOL_VERSION,
      project_dir: project.folder,
      graphs: {},
      extras: { auth: './extras.py:auth', embed: './extras.py:embed', http_app: './extras.py:app' },
    });
  });
  after(async () => {
    await host?.[Symbol.asyncDispose]();
    await project?.[Symbol.asyncDispose]();
  });

  it('authenticate callers or refuse them', async () => {
    const request = { method: 'GET', url: 'http://localhost/threads?x=1' };
    const known = await host.connection.request('auth.authenticate', {
      ...request,
      headers: [['Authorization', 'Bearer ada']],
    });
    assert.deepEqual(known.user, {
      identity: 'ada',
      permissions: ['read'],
      fields: { identity: 'ada', permissions: ['read'], team: '/threads' },
    });
    const unknown = await host.connection.request('auth.authenticate', { ...request, headers: [] });
    assert.deepEqual(unknown.refused, {
      status: 401,
      message: 'Say who you are.',
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  });

  it('add no headers of other errors with a status, because another service may have sent them', async () => {
    const { refused } = await host.connection.request('auth.authenticate', {
      method: 'GET',
      url: 'http://localhost/threads',
      headers: [['Authorization', 'Bearer elsewhere']],
    });
    assert.deepEqual(refused, { status: 401, message: 'Not known there.' });
  });

  it('authorize callers with the most specific handler', async () => {
    const user = { identity: 'ada', permissions: [], fields: {} };
    const create = { resource: 'threads', action: 'create', user, value: {} };
    assert.deepEqual(await host.connection.request('auth.authorize', create), {
      value: { metadata: { owner: 'ada' } },
      filters: { owner: 'ada' },
    });
    const other = await host.connection.request('auth.authorize', { ...create, action: 'delete' });
    assert.equal(other.refused?.status, 403);
  });

  it('embed texts', async () => {
    const { vectors } = await host.connection.request('store.embed', { texts: ['a', 'bcd'] });
    assert.deepEqual(vectors, [
      [1, 1],
      [3, 1],
    ]);
  });

  it('answer requests with an app started once, the head before the body', async () => {
    for (const id of [randomUUID(), randomUUID()]) {
      const head = await host.connection.request('http.request', {
        request_id: id,
        method: 'POST',
        url: 'http://localhost:2024/hello%20there?a=b',
        headers: [['content-type', 'text/plain']],
        body: Buffer.from('body').toString('base64'),
      });
      assert.equal(head.status, 201);
      assert.deepEqual(head.headers, [
        ['content-type', 'text/plain'],
        ['x-started', '1'],
      ]);
      const text = await eventually('the body', () => {
        const parts = host.bodies.filter(({ request_id }) => request_id === id);
        const whole = parts.map(({ data }) => Buffer.from(data, 'base64').toString()).join('');
        return parts.at(-1)?.done === true ? whole : undefined;
      });
      assert.equal(text, 'body a=b end');
    }
  });

  it('report what ends an app, and answer later requests', async () => {
    const ask = (name: string) =>
      host.connection.request('http.request', {
        request_id: randomUUID(),
        method: 'GET',
        url: `http://localhost:2024/${name}`,
        headers: [],
        body: null,
      });
    await assert.rejects(ask('exit'), /sys\.exit\(3\) was called, which stops only this request/);
    await assert.rejects(ask('cancel'), /CancelledError was raised/);
    assert.equal((await ask('missing')).status, 404);
    const logs = host.logs.filter(({ level }) => level === 'error').map(({ message }) => message);
    assert.match(logs.join('\n'), /http\.app failed: .*extras\.py.*SystemExit: 3/s);
  });
});
