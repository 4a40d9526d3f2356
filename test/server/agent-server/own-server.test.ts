import assert from 'node:assert/strict';
import path from 'node:path';
import { Client } from '@langchain/langgraph-sdk';
import { z } from 'zod';
import { requirePython, servablePythonProject } from '../../support/python-projects.ts';
import { type ServedProject, serveProject } from '../../support/served-project.ts';
import { eventually } from '../../support/wait.ts';

const AUTH_MJS = `
export const auth = {
  '~handlerCache': {
    authenticate: async (request) => ({ identity: request.headers.get('x-user') ?? 'nobody', permissions: [] }),
    callbacks: { threads: ({ user }) => ({ owner: user.identity }) },
  },
};`;

const AUTH_PY = `
from langgraph_sdk import Auth, get_client
auth = Auth()
client = get_client()

@auth.authenticate
async def who(headers: dict):
    # Nobody is asked who calls from in here, or this would never end.
    await client.assistants.search(limit=1)
    return (["read"], {"identity": headers.get(b"x-user", b"nobody").decode()})

@auth.on.threads
async def own(ctx, value):
    return {"owner": ctx.user.identity}
`;

/** Starts another run on a new thread through the server, and returns the owners of the visible threads. */
const GRAPHS_MJS = `
import { Annotation, START, StateGraph } from '@langchain/langgraph';
import { Client } from '@langchain/langgraph-sdk';
import { getLogger } from '@langchain/langgraph-sdk/logging';

const client = new Client();
const logger = getLogger();
const State = Annotation.Root({
  value: Annotation(),
  seen: Annotation(),
  owners: Annotation(),
  port: Annotation(),
});
export const child = new StateGraph(State)
  .addNode('add', ({ value }) => ({ value: value + 1 }))
  .addEdge(START, 'add')
  .compile();
export const parent = new StateGraph(State)
  .addNode('ask', async ({ value }) => {
    logger.warn('about to ask', { value });
    const { thread_id } = await client.threads.create();
    const answer = await client.runs.wait(thread_id, 'child', { input: { value } });
    const seen = [];
    for await (const part of client.runs.stream(thread_id, 'child', { input: { value: 10 }, streamMode: 'values' })) seen.push(part.event);
    const threads = await client.threads.search();
    return { value: answer.value, seen, owners: threads.map(({ metadata }) => metadata.owner), port: process.env.PORT };
  })
  .addEdge(START, 'ask')
  .compile();
const hooks = [];
export const app = {
  fetch: async (request) => {
    if (request.method === 'POST') return Response.json(hooks.push(await request.json()));
    if (request.url.endsWith('/hooks')) return Response.json(hooks);
    return Response.json(await new Client().assistants.search({ graphId: 'child' }));
  },
};`;

const GRAPHS_PY = `
from typing import Any, TypedDict
from langgraph.graph import START, StateGraph
from langgraph_sdk import get_client

client = get_client()

class State(TypedDict, total=False):
    value: int
    seen: list[str]
    owners: list[str]

async def ask(state: State) -> Any:
    thread = await client.threads.create()
    answer = await client.runs.wait(thread["thread_id"], "child", input={"value": state["value"]})
    stream = client.runs.stream(thread["thread_id"], "child", input={"value": 10}, stream_mode="values")
    seen = [part.event async for part in stream]
    threads = await client.threads.search()
    return {"value": answer["value"], "seen": seen, "owners": [thread["metadata"]["owner"] for thread in threads]}

parent = StateGraph(State).add_node("ask", ask).add_edge(START, "ask").compile()
child = StateGraph(State).add_node("add", lambda s: {"value": s["value"] + 1}).add_edge(START, "add").compile()

async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        return
    found = await get_client().assistants.search(graph_id="child")
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"application/json")]})
    await send({"type": "http.response.body", "body": str(len(found)).encode()})
`;

const config = (extension: string) => ({
  graphs: { parent: `./graphs.${extension}:parent`, child: `./graphs.${extension}:child` },
  http: { app: `./graphs.${extension}:app` },
  webhooks: { url: { disable_loopback: false } },
  auth: { path: `./auth.${extension}:auth` },
});

describe('a graph that calls the agent server it runs in', function () {
  this.timeout(120_000);

  const languages = [
    {
      language: 'JavaScript',
      serve: () =>
        serveProject({
          empty: true,
          files: { 'auth.mjs': AUTH_MJS, 'graphs.mjs': GRAPHS_MJS, 'langgraph.json': '{"graphs":{}}' },
          config: config('mjs'),
          concurrency: 1,
        }),
    },
    {
      language: 'Python',
      serve: async (context: Mocha.Context) =>
        serveProject({
          given: await servablePythonProject(await requirePython(context, 'langgraph-1.2'), {
            empty: true,
            files: { 'auth.py': AUTH_PY, 'graphs.py': GRAPHS_PY, 'langgraph.json': '{"graphs":{}}' },
          }),
          config: config('py'),
          concurrency: 1,
        }),
    },
  ];
  for (const { language, serve } of languages) {
    describe(`in ${language}`, () => {
      let served: ServedProject;
      before(async function () {
        served = await serve(this);
      });
      after(() => served?.[Symbol.asyncDispose]());

      it('waits for and streams another run as its own user, even with a limit of one run', async () => {
        const as = (user: string) =>
          new Client({ apiUrl: served.url, apiKey: null, defaultHeaders: { 'x-user': user } });
        await as('bob').threads.create();
        const run = as('ada').runs.wait(null, 'parent', { input: { value: 1 } });
        const values = { value: 0, seen: [''], owners: [''], port: '' };
        Object.assign(values, await run);
        assert.equal(values.value, 2);
        assert.deepEqual(values.seen, ['metadata', 'values', 'values']);
        assert.deepEqual(new Set(values.owners), new Set(['ada']));
        if (language === 'JavaScript') {
          assert.equal(values.port, new URL(served.url).port);
          const line = 'about to ask { value: 1 }';
          await eventually('its log has it', async () => (await served.log()).includes(line));
        }
      });

      it('may also be the project’s own app', async () => {
        const answer: unknown = await (await fetch(`${served.url}/mine`)).json();
        assert.equal(Array.isArray(answer) ? answer.length : answer, 1);
      });

      if (language === 'JavaScript') {
        it('may receive a webhook if its project allows that', async () => {
          const client = new Client({ apiUrl: served.url, apiKey: null });
          await client.runs.wait(null, 'child', { input: { value: 1 }, webhook: '/hook' });
          const hooks = async () =>
            z
              .array(z.object({ values: z.unknown() }))
              .parse(await (await fetch(`${served.url}/hooks`)).json());
          await eventually('it has come', async () => (await hooks()).length > 0);
          assert.deepEqual((await hooks())[0]?.values, { value: 2 });
        });
      }

      it('needs no key where others need one', async () => {
        const open = (require_key: boolean) =>
          fetch(`${served.platformUrl}/harbor/workspaces`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', 'x-api-key': served.apiKey },
            body: JSON.stringify({
              config_path: path.join(served.project.folder, 'langgraph.json'),
              require_key,
            }),
          });
        assert.equal((await open(true)).status, 200);
        const as = (apiKey: string | null) =>
          new Client({
            apiUrl: served.url,
            apiKey,
            defaultHeaders: { 'x-user': 'ada' },
            callerOptions: { maxRetries: 0 },
          });
        await assert.rejects(as(null).runs.wait(null, 'parent', { input: { value: 1 } }), /401/);
        const answer = await as(served.apiKey).runs.wait(null, 'parent', { input: { value: 1 } });
        assert.equal(Object.entries(answer).find(([name]) => name === 'value')?.[1], 2);
        assert.equal((await fetch(`${served.url}/mine`)).status, 401);
        const mine = await fetch(`${served.url}/mine`, { headers: { 'x-api-key': served.apiKey } });
        assert.equal(mine.status, 200);
        assert.equal((await open(false)).status, 200);
      });

      it('does not reveal the secret of its own calls', async () => {
        const forged = await fetch(`${served.url}/threads/search`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'agent-harbor-in-process': 'guess.e30' },
          body: '{}',
        });
        assert.equal(forged.status, 401);
      });
    });
  }
});
