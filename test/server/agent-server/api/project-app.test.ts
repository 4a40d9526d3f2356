import assert from 'node:assert/strict';
import { Client } from '@langchain/langgraph-sdk';
import { z } from 'zod';
import { requirePython, servablePythonProject } from '../../../support/python-projects.ts';
import { type ServedProject, serveProject } from '../../../support/served-project.ts';
import { eventually } from '../../../support/wait.ts';

const GRAPH_MJS = `
import { Annotation, START, StateGraph } from '@langchain/langgraph';
export const graph = new StateGraph(Annotation.Root({ value: Annotation() }))
  .addNode('add', ({ value }) => ({ value: value + 1 }))
  .addEdge(START, 'add')
  .compile();`;

const APP_MJS = `
import { Hono } from '${import.meta.resolve('hono')}';
export const app = new Hono();
app.use('*', async (c, next) => {
  const read = c.req.header('x-read');
  if (read === 'raw') await c.req.raw.json();
  if (read === 'text') await c.req.text();
  if (read === 'json') (await c.req.json()).metadata.from = 'middleware';
  if (read === 'new') c.req.raw = new Request(c.req.raw, { body: '{"metadata":{"from":"a new body"}}' });
  if (c.req.header('x-refuse')) return c.text('Not today.', 418);
  await next();
  c.res.headers.set('x-seen', c.req.path);
});
app.get('/hello/:name', (c) => c.text('hello ' + c.req.param('name')));
app.get('/assistants/:id/schemas', (c) => c.json({ mine: c.req.param('id') }));
app.get('/none', (c) => c.notFound());
app.notFound((c) => c.text('the app has none', 200));
export const plain = new Hono();
plain.get('/hello/:name', (c) => c.text('hello ' + c.req.param('name')));
plain.post('/threads/count', (c) => c.json(42));`;

const AUTH_MJS = `
import { Auth, HTTPException } from '${import.meta.resolve('@langchain/langgraph-sdk/auth')}';
export const auth = new Auth().authenticate((request) => {
  if (request.headers.has('x-tell-host'))
    throw new HTTPException(401, { message: 'asked ' + request.headers.get('host') });
  return { identity: 'one', permissions: [] };
});
export const strict = new Auth().authenticate((request) => {
  if (request.headers.get('authorization') !== 'Bearer one') throw new HTTPException(401, { message: 'Who are you?' });
  return { identity: 'one', permissions: [] };
});`;

const PROJECT_PY = `
from typing import TypedDict
from fastapi import FastAPI
from fastapi.responses import PlainTextResponse
from langgraph.graph import START, StateGraph
from langgraph_sdk import Auth

auth = Auth()

@auth.authenticate
async def authenticate(headers: dict):
    if b"x-tell-host" in headers:
        raise Auth.exceptions.HTTPException(status_code=401, detail="asked " + headers[b"host"].decode())
    return {"identity": "one"}

class State(TypedDict):
    value: int

graph = StateGraph(State).add_node("add", lambda s: {"value": s["value"] + 1}).add_edge(START, "add").compile()
app = FastAPI()

@app.middleware("http")
async def look(request, call_next):
    if "x-read" in request.headers:
        await request.body()
    if "x-refuse" in request.headers:
        return PlainTextResponse("Not today.", 418)
    response = await call_next(request)
    response.headers["x-seen"] = request.url.path
    return response

@app.get("/hello/{name}", response_class=PlainTextResponse)
async def hello(name: str):
    return "hello " + name

@app.get("/assistants/{id}/schemas")
async def schemas(id: str):
    return {"mine": id}

plain = FastAPI()

@plain.get("/hello/{name}", response_class=PlainTextResponse)
async def hello_plain(name: str):
    return "hello " + name

@plain.post("/threads/count")
async def count():
    return 42
`;

describe('the app of a project', function () {
  this.timeout(120_000);

  const languages = [
    {
      language: 'JavaScript',
      serve: (_: Mocha.Context, app: string) =>
        serveProject({
          empty: true,
          files: {
            'graph.mjs': GRAPH_MJS,
            'app.mjs': APP_MJS,
            'auth.mjs': AUTH_MJS,
            'langgraph.json': '{"graphs":{}}',
          },
          config: {
            graphs: { agent: './graph.mjs:graph' },
            http: { app: `./app.mjs:${app}` },
            auth: { path: './auth.mjs:auth' },
          },
        }),
    },
    {
      language: 'Python',
      serve: async (context: Mocha.Context, app: string) =>
        serveProject({
          given: await servablePythonProject(await requirePython(context, 'langgraph-1.2'), {
            empty: true,
            files: { 'project.py': PROJECT_PY, 'langgraph.json': '{"graphs":{}}' },
          }),
          config: {
            graphs: { agent: './project.py:graph' },
            http: { app: `./project.py:${app}` },
            auth: { path: './project.py:auth' },
          },
        }),
    },
  ];
  for (const { language, serve } of languages) {
    describe(`with middleware, in ${language}`, () => {
      let served: ServedProject;
      before(async function () {
        served = await serve(this, 'app');
      });
      after(() => served?.[Symbol.asyncDispose]());
      const client = (headers: Record<string, string> = {}) =>
        new Client({ apiUrl: served.url, apiKey: null, defaultHeaders: headers });

      it('sees requests for the server’s endpoints, and can refuse them', async () => {
        await assert.rejects(client({ 'x-refuse': 'yes' }).threads.create(), /418.*Not today/);
        const { thread_id } = await client().threads.create({ metadata: { a: 'ä' } });
        const read = await fetch(`${served.url}/threads/${thread_id}`);
        assert.equal(read.headers.get('x-seen'), `/threads/${thread_id}`);
        assert.deepEqual((await client().threads.get(thread_id)).metadata, { a: 'ä' });
        await client().threads.delete(thread_id);
        await assert.rejects(client().threads.get(thread_id), /404/);
      });

      it('passes on bodies that its middleware has read', async () => {
        for (const read of ['text', 'raw']) {
          const thread = await client({ 'x-read': read }).threads.create({ metadata: { a: 'ä' } });
          assert.deepEqual(thread.metadata, { a: 'ä' }, read);
        }
      });

      it('passes on the host that the client asked', async () => {
        for (const host of [
          new URL(served.url).host,
          new URL(served.url).host.replace('127.0.0.1', 'localhost'),
        ]) {
          const refused = await fetch(`http://${host}/threads`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', 'x-tell-host': 'yes' },
            body: '{}',
          });
          assert.match(await refused.text(), new RegExp(`asked ${host}"`));
        }
      });

      it('passes streams through as they come, and ends them with their client', async () => {
        const events: string[] = [];
        for await (const { event } of client().runs.stream(null, 'agent', { input: { value: 1 } }))
          events.push(event);
        assert.deepEqual(events, ['metadata', 'values', 'values']);
        const { thread_id } = await client().threads.create();
        assert.deepEqual(await client().runs.wait(thread_id, 'agent', { input: { value: 1 } }), { value: 2 });
        const gone = new AbortController();
        const open = await fetch(`${served.url}/threads/${thread_id}/stream`, { signal: gone.signal });
        assert.match(open.headers.get('content-type') ?? '', /event-stream/);
        gone.abort();
      });

      it('answers its own routes, even those that the server has too', async () => {
        assert.equal(await (await fetch(`${served.url}/hello/you`)).text(), 'hello you');
        const schemas = await fetch(`${served.url}/assistants/agent/schemas`);
        assert.deepEqual(await schemas.json(), { mine: 'agent' });
        const nothing = await fetch(`${served.url}/nothing`);
        assert.deepEqual([nothing.status, await nothing.json()], [404, { detail: 'Not Found' }]);
        assert.equal(nothing.headers.get('x-seen'), '/nothing');
      });

      if (language === 'JavaScript') {
        for (const [how, from] of [
          ['json', 'middleware'],
          ['new', 'a new body'],
        ] as const)
          it(`passes on what its middleware changes (${how})`, async () => {
            const thread = await client({ 'x-read': how }).threads.create({ metadata: { from: 'client' } });
            assert.equal(thread.metadata?.from, from);
          });

        it('answers with its own notFound where a route of its own asks for it', async () => {
          const answer = await fetch(`${served.url}/none`);
          assert.deepEqual([answer.status, await answer.text()], [200, 'the app has none']);
        });
      }

      it('is described with the server’s endpoints', async () => {
        const document = OpenApi.parse(await (await fetch(`${served.url}/openapi.json`)).json());
        assert.ok(document.paths['/hello/{name}']?.get);
        assert.ok(document.paths['/threads/search']?.post);
      });
    });

    describe(`without middleware, in ${language}`, () => {
      let served: ServedProject;
      before(async function () {
        served = await serve(this, 'plain');
      });
      after(() => served?.[Symbol.asyncDispose]());

      it('only gets its own routes', async () => {
        const post = (path: string) => fetch(`${served.url}${path}`, { method: 'POST', body: '{}' });
        assert.equal(await (await post('/threads/count')).json(), 42);
        assert.deepEqual(await (await post('/threads/search')).json(), []);
        assert.equal(await (await fetch(`${served.url}/hello/you`)).text(), 'hello you');
      });
    });
  }

  for (const order of ['middleware_first', 'auth_first'] as const) {
    it(`with middleware and ${order} ${order === 'auth_first' ? 'does not see' : 'sees'} callers without credentials`, async () => {
      await using served = await serveProject({
        empty: true,
        files: {
          'langgraph.json': JSON.stringify({
            graphs: { graph: './graph.mjs:graph' },
            auth: { path: './auth.mjs:strict' },
            http: { app: './app.mjs:app', middleware_order: order },
          }),
          'graph.mjs': GRAPH_MJS,
          'app.mjs': APP_MJS,
          'auth.mjs': AUTH_MJS,
        },
      });
      const search = (headers: Record<string, string>) =>
        fetch(`${served.url}/threads/search`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: '{}',
        });
      const known = { authorization: 'Bearer one' };
      const refused = order === 'auth_first' ? 401 : 418;
      assert.equal((await search({ 'x-refuse': 'yes' })).status, refused);
      assert.equal((await search({ ...known, 'x-refuse': 'yes' })).status, 418);
      const stranger = await search({});
      assert.deepEqual(
        [stranger.status, stranger.headers.get('x-seen')],
        [401, order === 'auth_first' ? null : '/threads/search'],
      );
      const answered = await search(known);
      assert.deepEqual([answered.status, answered.headers.get('x-seen')], [200, '/threads/search']);
    });
  }

  it('that fails to load lets no request pass, and is reported in the deployment’s state', async () => {
    await using served = await serveProject({
      empty: true,
      files: {
        'graph.mjs': GRAPH_MJS,
        'app.mjs': 'throw new Error("no app");',
        'langgraph.json': '{"graphs":{}}',
      },
      config: {
        graphs: { agent: './graph.mjs:graph' },
        http: { app: './app.mjs:app' },
        auth: { path: './nowhere.mjs:auth' },
      },
    });
    assert.equal((await fetch(`${served.url}/ok`)).status, 200);
    const refused = await fetch(`${served.url}/assistants/agent`);
    assert.equal(refused.status, 500);
    assert.match(await refused.text(), /http.app failed.*no app/);
    for (const what of ['http.app', 'auth.path']) {
      await eventually(`the log says that ${what} failed`, async () =>
        (await served.log()).some((line) => line.startsWith(`'${what}' failed to load:`)),
      );
    }
  });
});

const OpenApi = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });
