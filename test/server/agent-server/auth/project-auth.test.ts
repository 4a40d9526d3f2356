import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Client } from '@langchain/langgraph-sdk';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { Client as OwnClient } from '../../../../src/client/client.ts';
import { localConnection } from '../../../../src/client/connection.ts';
import { createDispatcher } from '../../../../src/client/dispatcher.ts';
import { requirePython, servablePythonProject } from '../../../support/python-projects.ts';
import { type ServedProject, serveProject } from '../../../support/served-project.ts';
import { eventually } from '../../../support/wait.ts';

const AUTH = `
class HTTPException extends Error {
  constructor(status, message, headers) { super(message); this.status = status; this.headers = headers; }
}
class Refused extends HTTPException {}
/** An error of a client for another service, with the headers of that service's response. */
class ServiceError extends Error {
  status = 401;
  headers = new Headers({ 'Set-Cookie': 'of=another', 'Retry-After': '9' });
}
export const auth = {
  '~handlerCache': {
    authenticate: async (request) => {
      const name = request.headers.get('x-user');
      if (name === null) {
        const headers = new Headers({ 'WWW-Authenticate': 'Bearer realm="users"', 'Content-Length': '1' });
        throw new Refused(401, 'Say who you are.', headers);
      }
      if (name === 'limited') throw new Refused(429, 'Too many.', { 'Retry-After': 7, 'not a name': 'a\\nb' });
      if (name === 'unknown elsewhere') throw new ServiceError('Not known there.');
      if (name === 'broken') throw new TypeError('no password for the directory');
      if (name === 'nameless') return { permissions: [] };
      return { identity: name, permissions: [] };
    },
    callbacks: {
      threads: ({ user }) => ({ owner: user.identity }),
      assistants: ({ user }) => ({ owner: user.identity }),
      crons: ({ user }) => ({ owner: user.identity }),
      'assistants:delete': () => false,
      'assistants:read': ({ user }) => {
        if (user.identity === 'clerk') throw new Refused(403, 'No business of yours.');
        return { owner: user.identity };
      },
      'assistants:search': ({ user }) => {
        if (user.identity === 'clerk') throw new Refused(403, 'No business of yours.');
        return { owner: user.identity };
      },
      // As in the public documentation, all users have the namespaces below their own name.
      store: ({ user, value }) => {
        if (value.namespace[0] !== user.identity) throw new Refused(403, 'Not your namespace.');
      },
      'store:search': ({ user, value }) => {
        value.namespace = [user.identity, ...value.namespace];
      },
      'threads:create_run': ({ user, value }) => {
        if (user.identity === 'reader') throw new Refused(403, 'Only reads.');
        const asked = value.kwargs.input?.value ?? value.kwargs.command?.resume;
        if (asked === 500) throw new TypeError('no password for the directory');
        if (asked === 13) throw new Refused(403, 'Not on a Friday.');
        if (value.metadata !== undefined) value.metadata.seen = value.assistant_id;
        return { owner: user.identity };
      },
    },
  },
};`;

/** As in the public documentation, only the studio is admitted. */
const STUDIO_PY = {
  'langgraph.json': JSON.stringify({
    dependencies: ['.'],
    graphs: { agent: './agent.py:graph' },
    auth: { path: './agent.py:auth' },
  }),
  'agent.py': `
from typing import TypedDict
from langgraph.graph import START, StateGraph
from langgraph_sdk import Auth

class State(TypedDict):
    value: int

graph = StateGraph(State).add_node("add", lambda s: {"value": s["value"] + 1}).add_edge(START, "add").compile()
auth = Auth()

@auth.authenticate
async def authenticate(headers: dict) -> str:
    name = headers.get(b"x-user")
    if name is None:
        raise Auth.exceptions.HTTPException(status_code=401, detail="Say who you are.")
    if name == b"broken":
        raise KeyError("no password for the directory")
    return name.decode()

@auth.on
async def only_the_studio(ctx: Auth.types.AuthContext, value: dict) -> bool:
    return isinstance(ctx.user, Auth.types.StudioUser)
`,
};

describe('the authentication of a project', function () {
  this.timeout(60_000);
  let served: ServedProject;
  const as = (name?: string) =>
    new Client({
      apiUrl: served.url,
      apiKey: null,
      ...(name === undefined ? {} : { defaultHeaders: { 'x-user': name } }),
    });
  before(async () => {
    served = await serveProject({
      files: { 'auth.mjs': AUTH },
      config: { auth: { path: './auth.mjs:auth' } },
    });
  });
  after(() => served[Symbol.asyncDispose]());

  it('authenticates callers', async () => {
    await assert.rejects(as().threads.create(), /401.*Say who you are/);
    assert.equal((await fetch(`${served.url}/ok`)).status, 200);
  });

  it('answers 500 when a handler fails, and shows the reason only in the log', async () => {
    const search = (name: string) =>
      fetch(`${served.url}/threads/search`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-user': name },
        body: '{}',
      });
    for (const name of ['broken', 'nameless']) await assertFailed(await search(name));
    await assert.rejects(as('ada').runs.wait(null, 'one_node', { input: { value: 500 } }), /500/);
    await eventually('the log has both reasons', async () => {
      const log = (await served.log()).join('\n');
      return log.includes('TypeError: no password') && log.includes('must return a user with an identity');
    });
  });

  it('accepts the owner of the server as the public studio’s user', async () => {
    const connection = { baseUrl: served.platformUrl, apiKey: served.apiKey, deploymentUrl: served.url };
    const own = new OwnClient({
      connection: localConnection(connection),
      dispatcher: createDispatcher(),
    });
    const { thread_id } = await own.threads.create({ body: {} });
    const { metadata } = await own.threads.get({ params: { thread_id } });
    assert.equal(metadata.owner, 'langgraph-studio-user');
    // A request of the command line without --header.
    assert.equal((await own.withHeaders({}).threads.get({ params: { thread_id } })).thread_id, thread_id);
    await assert.rejects(own.withHeaders({ 'x-user': 'ada' }).threads.get({ params: { thread_id } }), /404/);
    for (const key of ['none', '']) {
      const headers = { 'x-auth-scheme': 'langsmith', 'x-api-key': key };
      assert.equal((await fetch(`${served.url}/threads/${thread_id}`, { headers })).status, 401);
    }
  });

  it('shows Python’s handlers the studio’s user as the SDK’s own StudioUser, and hides their exceptions', async function () {
    const python = await requirePython(this, 'langgraph-1.2');
    await using own = await serveProject({
      given: await servablePythonProject(python, { empty: true, files: STUDIO_PY }),
    });
    const search = (headers: Record<string, string>) =>
      fetch(`${own.url}/threads/search`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{}',
      });
    assert.equal((await search({ 'x-user': 'ada' })).status, 403);
    await assertFailed(await search({ 'x-user': 'broken' }));
    await eventually('the log has the reason', async () =>
      (await own.log()).join('\n').includes("KeyError: 'no password"),
    );
    const studio = { 'x-auth-scheme': 'langsmith', 'x-api-key': own.apiKey };
    assert.deepEqual(await (await search(studio)).json(), []);
    assert.equal((await search({ ...studio, 'x-api-key': 'wrong' })).status, 401);
  });

  it('adds the headers of a refusal to the response, except those that would break it', async () => {
    const search = (headers: Record<string, string>) =>
      fetch(`${served.url}/threads/search`, { method: 'POST', body: '{}', headers });
    const unknown = await search({});
    assert.equal(unknown.headers.get('www-authenticate'), 'Bearer realm="users"');
    assert.deepEqual(await unknown.json(), { detail: 'Say who you are.' });
    const limited = await search({ 'x-user': 'limited' });
    assert.equal(limited.status, 429);
    assert.equal(limited.headers.get('retry-after'), '7');
  });

  it('adds no headers of other errors with a status, because another service may have sent them', async () => {
    const headers = { 'x-user': 'unknown elsewhere' };
    const refused = await fetch(`${served.url}/threads/search`, { method: 'POST', body: '{}', headers });
    assert.equal(refused.status, 401);
    assert.deepEqual(await refused.json(), { detail: 'Not known there.' });
    assert.deepEqual([refused.headers.get('set-cookie'), refused.headers.get('retry-after')], [null, null]);
  });

  it('hides resources of other users', async () => {
    const [owner, other] = [`ada ${crypto.randomUUID()}`, `bob ${crypto.randomUUID()}`];
    const { thread_id } = await as(owner).threads.create();
    assert.equal((await as(owner).threads.get(thread_id)).metadata?.owner, owner);
    await assert.rejects(as(other).threads.get(thread_id), /404/);
    await assert.rejects(as(other).runs.wait(thread_id, 'one_node', { input: {} }), /404/);
    assert.equal((await as(other).threads.search()).length, 0);
    assert.equal((await as(owner).threads.search()).length, 1);
    await as(owner).runs.wait(thread_id, 'one_node', { input: { value: 1 } });
    const made = crypto.randomUUID();
    await as(other).runs.wait(made, 'one_node', { input: { value: 1 }, ifNotExists: 'create' });
    await assert.rejects(as(owner).threads.get(made), /404/);
  });

  it('exports no threads of others, and gives imported ones to their importer', async () => {
    const { thread_id } = await as('ada').threads.create();
    await as('ada').runs.wait(thread_id, 'one_node', { input: { value: 1 } });
    const archive = (id: string, name: string, body?: object) =>
      fetch(`${served.url}/harbor/threads/${id}/${body === undefined ? 'export' : 'import'}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'x-user': name, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    assert.equal((await archive(thread_id, 'bob')).status, 404);
    const page = (await (await archive(thread_id, 'ada')).json()) as { thread: object; records: object[] };
    const replace = { ...page, last: true, if_exists: 'replace' };
    assert.equal((await archive(thread_id, 'bob', replace)).status, 404);
    const copy = crypto.randomUUID();
    const thread = { ...page.thread, thread_id: copy };
    const made = await archive(copy, 'bob', { thread, records: page.records, last: true });
    assert.equal(made.status, 200, await made.clone().text());
    assert.equal((await as('bob').threads.get(copy)).metadata?.owner, 'bob');
    await assert.rejects(as('ada').threads.get(copy), /404/);
  });

  it('hides them from A2A and MCP too', async () => {
    const { assistant_id } = await as('ada').assistants.create({ graphId: 'one_node', name: 'secret' });
    const thread = await as('ada').threads.create();
    const run = await as('ada').runs.create(thread.thread_id, 'one_node', { input: { value: 1 } });
    await as('ada').runs.join(thread.thread_id, run.run_id);
    const rpc = async (name: string, path: string, method: string, params: object) => {
      const response = await fetch(`${served.url}${path}`, {
        method: 'POST',
        headers: {
          'x-user': name,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: '1', method, params }),
      });
      return Answer.parse(await response.json());
    };
    const tools = async (name: string) =>
      Tools.parse((await rpc(name, '/mcp', 'tools/list', {})).result).tools.map((tool) => tool.name);
    assert.equal((await tools('ada')).includes('secret'), true);
    assert.equal((await tools('bob')).includes('secret'), false);
    assert.equal((await tools('bob')).includes('one_node'), true);
    const call = { name: 'secret', arguments: { value: 1 } };
    assert.equal((await rpc('bob', '/mcp', 'tools/call', call)).error?.code, -32602);
    assert.equal((await rpc('ada', '/mcp', 'tools/call', call)).error, undefined);

    const contextId = thread.thread_id;
    const parts = [{ kind: 'data', data: { value: 5 } }];
    const message = { role: 'user', parts, messageId: '1', contextId };
    for (const method of ['message/send', 'SendStreamingMessage']) {
      assert.equal((await rpc('bob', '/a2a/one_node', method, { message })).error?.code, -32001);
    }
    const task = { id: run.run_id, contextId };
    for (const method of ['tasks/get', 'tasks/cancel', 'SubscribeToTask']) {
      assert.equal((await rpc('bob', '/a2a/one_node', method, task)).error?.code, -32001, method);
    }
    const listed = async (name: string) =>
      z
        .object({ tasks: z.array(z.looseObject({ id: z.string() })), totalSize: z.int() })
        .loose()
        .parse((await rpc(name, '/a2a/one_node', 'tasks/list', { contextId })).result);
    assert.deepEqual([(await listed('bob')).tasks, (await listed('bob')).totalSize], [[], 0]);
    assert.deepEqual(
      (await listed('ada')).tasks.map(({ id }) => id),
      [run.run_id],
    );
    assert.equal((await rpc('ada', '/a2a/one_node', 'tasks/get', task)).error, undefined);
    assert.deepEqual((await as('ada').threads.get(contextId)).values, { value: 2 });
    assert.equal((await rpc('ada', `/a2a/${assistant_id}`, 'message/send', { message })).error, undefined);
  });

  /** A request of a user's, with its status and its JSON. */
  const ask = async (name: string, path: string, body?: object, method = 'POST') => {
    const response = await fetch(`${served.url}${path}`, {
      method: body === undefined ? 'GET' : method,
      headers: {
        'x-user': name,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };

  it('runs no assistant of another user, through any API', async () => {
    const { assistant_id } = await as('ada').assistants.create({ graphId: 'one_node' });
    const run = { assistant_id, input: { value: 1 } };
    const message = { role: 'user', parts: [{ kind: 'data', data: { value: 5 } }], messageId: '1' };
    const send = { jsonrpc: '2.0', id: '1', method: 'message/send', params: { message } };
    const waysOf = (thread_id: string): [string, object?][] => [
      [`/threads/${thread_id}/runs/stream`, run],
      [`/threads/${thread_id}/runs/wait`, run],
      [`/threads/${thread_id}/runs`, run],
      [`/threads/${thread_id}/runs/crons`, { ...run, schedule: '0 0 1 1 *' }],
      ['/runs/stream', run],
      ['/runs/wait', run],
      ['/runs', run],
      ['/runs/batch', [run]],
      ['/runs/crons', { ...run, schedule: '0 0 1 1 *' }],
      [`/a2a/${assistant_id}`, send],
      [`/a2a/${assistant_id}/.well-known/agent-card.json`],
      [`/.well-known/agent-card.json?assistant_id=${assistant_id}`],
      [`/assistants/${assistant_id}`],
    ];
    const start = { id: 1, method: 'run.start', params: run };
    const seen = { ada: 200, bob: 404, clerk: 403 };
    for (const [name, status] of Object.entries(seen)) {
      const { thread_id } = await as(name).threads.create();
      for (const [path, body] of waysOf(thread_id)) {
        const answer = await ask(name, path, body);
        assert.equal(answer.status, status, `${name} ${path} ${answer.text}`);
      }
      const { text } = await ask(name, `/threads/${thread_id}/commands`, start);
      const wanted = { ada: /"success"/, bob: /"error".*not found/, clerk: /"permission_denied"/ }[name];
      assert.match(text, wanted ?? /never/);
    }
    const { assistant_id: other } = await as('bob').assistants.create({ graphId: 'one_node' });
    const mixed = [other, assistant_id].map((id) => ({ ...run, assistant_id: id, on_completion: 'keep' }));
    assert.equal((await ask('bob', '/runs/batch', mixed)).status, 404);
    const started = await as('bob').threads.search({ metadata: { assistant_id: other } });
    assert.deepEqual(started, [], 'none of a batch runs when one of it cannot');
  });

  it('authorizes each command of the v2 protocol, over HTTP and WebSocket, like any run', async () => {
    const { thread_id } = await as('ada').threads.create();
    const start = (value: number) => {
      const params = { assistant_id: 'one_node', input: { value }, metadata: { mine: true } };
      return { id: 1, method: 'run.start', params };
    };
    const overHttp = async (value: number) =>
      (await ask('ada', `/threads/${thread_id}/commands`, start(value))).text;
    const overSocket = async (value: number) => {
      const address = `${served.url.replace('http', 'ws')}/threads/${thread_id}/stream/events`;
      const socket = new WebSocket(address, { headers: { 'x-user': 'ada' } });
      socket.once('open', () => socket.send(JSON.stringify(start(value))));
      const [message] = await once(socket, 'message');
      socket.close();
      return String(message);
    };
    for (const over of [overHttp, overSocket]) {
      assert.match(await over(13), /Friday/);
      assert.match(await over(1), /"success"/);
    }
    const runs = await as('ada').runs.list(thread_id);
    // Handlers see the ID of the assistant, as in the types of the public SDK, even if the request names a graph.
    const { assistant_id } = await as('ada').assistants.get('one_node');
    assert.deepEqual(
      runs.map(({ metadata }) => [metadata?.mine, metadata?.seen]),
      [
        [true, assistant_id],
        [true, assistant_id],
      ],
    );
  });

  it('authorizes the answer to an interrupt in the v2 protocol like any run', async () => {
    const { thread_id } = await as('ada').threads.create();
    await as('ada').runs.wait(thread_id, 'approval', { input: { topic: 'it' } });
    const answer = async (name: string, input: unknown) => {
      const start = { id: 1, method: 'run.start', params: { assistant_id: 'approval', input } };
      return (await ask(name, `/threads/${thread_id}/commands`, start)).text;
    };
    assert.match(await answer('bob', 'yes'), /Not found/);
    assert.match(await answer('ada', 13), /Friday/);
    assert.equal((await as('ada').threads.get(thread_id)).status, 'interrupted');
    assert.match(await answer('ada', 'yes'), /"success"/);
    const [resumed] = await as('ada').runs.list(thread_id);
    await as('ada').runs.join(thread_id, resumed?.run_id ?? '');
    const { values } = await as('ada').threads.getState<{ answers: string[] }>(thread_id);
    assert.deepEqual(values.answers, ['draft of it', 'yes', 'published']);
  });

  it('lets everyone run default assistants, and no one change them', async () => {
    const id = (await as('ada').assistants.get('one_node')).assistant_id;
    for (const name of ['ada', 'bob', 'clerk']) {
      for (const assistant of ['one_node', id]) {
        assert.deepEqual(await as(name).runs.wait(null, assistant, { input: { value: 1 } }), { value: 2 });
      }
      const call = { name: 'one_node', arguments: { value: 1 } };
      const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call };
      assert.match((await ask(name, '/mcp', rpc)).text, /"isError":false/);
    }
    for (const assistant of ['one_node', id]) {
      assert.equal((await as('bob').assistants.get(assistant)).assistant_id, id);
      await assert.rejects(as('bob').assistants.update(assistant, { name: 'mine' }), /404/);
      await assert.rejects(as('bob').assistants.setLatest(assistant, 1), /404/);
    }
  });

  it('does not return another user’s assistant when it is created again', async () => {
    const { assistant_id } = await as('ada').assistants.create({ graphId: 'one_node' });
    const again = { graphId: 'one_node', assistantId: assistant_id, ifExists: 'do_nothing' as const };
    await assert.rejects(as('bob').assistants.create(again), /404/);
    assert.equal((await as('ada').assistants.create(again)).assistant_id, assistant_id);
  });

  it('does not let users add tools to those of others', async () => {
    const name = `planted ${crypto.randomUUID()}`;
    await as('ada').assistants.create({ graphId: 'one_node', name, metadata: { created_by: 'system' } });
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    assert.match((await ask('ada', '/mcp', list)).text, /planted/);
    assert.doesNotMatch((await ask('bob', '/mcp', list)).text, /planted/);
  });

  it('passes handlers of the store and of runs the values of the SDK’s types', async () => {
    await as('ada').store.putItem(['ada', 'notes'], 'a', { text: 'x' });
    await assert.rejects(as('bob').store.getItem(['ada', 'notes'], 'a'), /403/);
    await assert.rejects(as('bob').store.listNamespaces({ prefix: ['ada'] }), /403/);
    const listed = await as('ada').store.listNamespaces({ prefix: ['ada'] });
    assert.deepEqual(listed.namespaces, [['ada', 'notes']]);
    const keys = async (name: string, namespace: string[]) =>
      (await as(name).store.searchItems(namespace)).items.map(({ key }) => key);
    assert.deepEqual(await keys('ada', ['notes']), ['a']);
    assert.deepEqual(await keys('ada', []), ['a']);
    assert.deepEqual(await keys('bob', []), []);
    await assert.rejects(as('ada').runs.wait(null, 'one_node', { input: { value: 13 } }), /403.*Friday/);
    const batch = [1, 13].map((value) => ({ assistantId: 'one_node', input: { value } }));
    await assert.rejects(as('ada').runs.createBatch(batch), /403.*Friday/);
    assert.equal((await as('ada').runs.createBatch(batch.slice(0, 1))).length, 1);
  });

  it('runs crons as their creator, whatever user they claim', async () => {
    const { cron_id } = await as('bob').crons.create('one_node', {
      schedule: '* * * * * *',
      input: { value: 1 },
      metadata: { what: 'cron' },
      onRunCompleted: 'keep',
      config: { configurable: { langgraph_auth_user: { identity: 'ada' }, colour: 'red' } },
    });
    const made = await eventually('it has run', async () => {
      const [thread] = await as('bob').threads.search({ metadata: { what: 'cron' }, status: 'idle' });
      return thread;
    });
    await as('bob').crons.update(cron_id, { config: { configurable: { langgraph_auth_user_id: 'ada' } } });
    const [cron] = await as('bob').crons.search();
    await as('bob').crons.delete(cron_id);
    const { user_id, payload } = z
      .looseObject({ user_id: z.string(), payload: z.looseObject({ config: z.unknown() }) })
      .parse(cron);
    assert.equal(user_id, 'bob');
    const [run] = await as('bob').runs.list(made.thread_id);
    const { kwargs } = z.looseObject({ kwargs: z.looseObject({ config: z.unknown() }) }).parse(run);
    for (const [given, colour] of [
      [kwargs.config, 'red'],
      [payload.config, undefined],
    ]) {
      const { configurable } = Configured.parse(given);
      assert.equal(configurable.langgraph_auth_user.identity, 'bob');
      assert.equal(configurable.langgraph_auth_user_id, 'bob');
      assert.equal(configurable.colour, colour);
    }
  });

  it('forbids what a handler refuses', async () => {
    await assert.rejects(as('ada').assistants.delete('one_node'), /403/);
  });

  it('treats reading a card as reading its assistant, at either address', async () => {
    for (const path of [
      '/a2a/one_node/.well-known/agent-card.json',
      '/.well-known/agent-card.json?assistant_id=one_node',
    ]) {
      const answers = ['reader', 'clerk'].map(async (name) => {
        const { status } = await fetch(`${served.url}${path}`, { headers: { 'x-user': name } });
        return status;
      });
      assert.deepEqual(await Promise.all(answers), [200, 403], path);
    }
  });
});

async function assertFailed(response: Response): Promise<void> {
  assert.equal(response.status, 500);
  assert.doesNotMatch(await response.text(), /password|identity/);
}

const Answer = z.looseObject({
  result: z.unknown().optional(),
  error: z.looseObject({ code: z.int() }).optional(),
});
const Tools = z.looseObject({ tools: z.array(z.looseObject({ name: z.string() })) });
const Configured = z.looseObject({
  configurable: z.looseObject({
    langgraph_auth_user: z.looseObject({ identity: z.string() }),
    langgraph_auth_user_id: z.string(),
    colour: z.string().optional(),
  }),
});
