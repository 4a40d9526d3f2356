import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import { Client } from '@langchain/langgraph-sdk';
import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { z } from 'zod';
import { portOf } from '../../../src/server/http/port-of.ts';
import { type ServedProject, serveProject } from '../../support/served-project.ts';
import { eventually } from '../../support/wait.ts';

/** Counts letters: texts with the same letters are close, which is enough to see that vectors are used. */
const EMBED = `
export async function embed(texts) {
  return texts.map((text) => [...'abcdefghijklmnopqrstuvwxyz'].map((letter) => text.toLowerCase().split(letter).length - 1));
}`;

const APP = `
let [asked, cancelled] = [0, 0];
let answer;
export const app = {
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === '/endless') {
      asked++;
      await new Promise((resolve) => (answer = resolve));
      const pull = async (controller) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        controller.enqueue(new TextEncoder().encode('more '));
      };
      return new Response(new ReadableStream({ pull, cancel: () => void cancelled++ }));
    }
    if (pathname === '/asked') return Response.json(asked);
    if (pathname === '/answer') return Response.json(answer());
    if (pathname === '/cancelled') return Response.json(cancelled);
    if (pathname === '/hello') return Response.json({ hello: request.method, said: await request.text() });
    if (pathname === '/stream') {
      const parts = ['one ', 'two ', 'three'];
      return new Response(new ReadableStream({
        async pull(controller) {
          await new Promise((resolve) => setTimeout(resolve, 20));
          const part = parts.shift();
          if (part === undefined) controller.close();
          else controller.enqueue(new TextEncoder().encode(part));
        },
      }), { headers: { 'x-made-by': 'app' } });
    }
    return new Response('none', { status: 404 });
  },
};`;

describe('a project with settings in langgraph.json', function () {
  this.timeout(60_000);
  let served: ServedProject;
  const client = () => new Client({ apiUrl: served.url, apiKey: null });
  before(async () => {
    served = await serveProject({
      files: { 'embed.mjs': EMBED, 'app.mjs': APP },
      config: {
        store: { index: { dims: 26, embed: './embed.mjs:embed', fields: ['text'] } },
        http: {
          app: './app.mjs:app',
          mount_prefix: '/agents/one',
          disable_a2a: true,
          middleware_order: 'auth_first',
          cors: {
            allow_origins: ['https://app.example'],
            allow_origin_regex: 'https://one\\.example|https://.*\\.team\\.example',
            allow_methods: ['GET'],
            allow_headers: ['x-team'],
          },
        },
        checkpointer: { backend: 'default', ttl: { strategy: 'delete', default_ttl: 60 } },
        image_distro: 'wolfi',
      },
    });
  });
  after(() => served[Symbol.asyncDispose]());

  it('finds items by meaning with the project’s embed function', async () => {
    const { store } = client();
    await store.putItem(['m'], 'tea', { text: 'green tea' });
    await store.putItem(['m'], 'zoo', { text: 'zzz pizza' });
    await store.putItem(['m'], 'plain', { text: 'tea' }, { index: false });
    const { items } = await store.searchItems(['m'], { query: 'greet a tee' });
    assert.deepEqual(
      items.map(({ key }) => key),
      ['tea', 'zoo', 'plain'],
    );
    assert.ok((items[0]?.score ?? 0) > 0.8);
    await store.putItem(['m'], 'tea', { text: 'zzz' });
    const again = await store.searchItems(['m'], { query: 'pizza zzz' });
    assert.equal(again.items[0]?.key, 'zoo');
  });

  it('serves the routes of the project’s own app, also streamed, with and without prefix', async () => {
    const said = await fetch(`${served.url}/hello`, { method: 'POST', body: 'hi' });
    assert.deepEqual(await said.json(), { hello: 'POST', said: 'hi' });
    const stream = await fetch(`${served.url}/stream`);
    assert.equal(stream.headers.get('x-made-by'), 'app');
    assert.equal(await stream.text(), 'one two three');
    assert.equal((await fetch(`${served.url}/nothing`)).status, 404);
    const prefixed = new Client({ apiUrl: `${served.url}/agents/one`, apiKey: null });
    assert.deepEqual(await prefixed.runs.wait(null, 'one_node', { input: { value: 1 } }), { value: 2 });
  });

  it('cancels an answer of the app when its client has gone, even before it starts', async () => {
    const count = async (of: string) => Number(await (await fetch(`${served.url}/${of}`)).json());
    const gone = new AbortController();
    const left = assert.rejects(fetch(`${served.url}/endless`, { signal: gone.signal }));
    await eventually('the app is asked', async () => (await count('asked')) === 1);
    gone.abort();
    await left;
    await fetch(`${served.url}/answer`);
    await eventually('the app has heard of it', async () => (await count('cancelled')) === 1);
  });

  it('turns off disabled routes, and logs settings without effect in one line', async () => {
    assert.equal((await fetch(`${served.url}/.well-known/agent-card.json?assistant_id=agent`)).status, 404);
    const lines = await eventually(
      'the settings are logged',
      async () => (await served.log()).filter((line) => line.includes('have no effect locally')),
      ({ length }) => length > 0,
    );
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /checkpointer\.backend.*image_distro/);
  });

  it('answers CORS requests of pages', async () => {
    const answer = await fetch(`${served.url}/threads`, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'GET' },
    });
    assert.equal(answer.headers.get('access-control-allow-origin'), 'https://app.example');
    assert.equal(answer.headers.get('access-control-allow-methods'), 'GET');
    assert.equal(answer.headers.get('access-control-allow-headers'), 'x-team');
  });

  it('allows pages of origins that the pattern matches whole', async () => {
    const search = (origin: string) =>
      fetch(`${served.url}/threads/search`, {
        method: 'POST',
        headers: { origin, 'content-type': 'application/json' },
        body: '{}',
      });
    for (const origin of ['https://one.example', 'https://app.team.example']) {
      const answer = await search(origin);
      assert.deepEqual([answer.status, answer.headers.get('access-control-allow-origin')], [200, origin]);
    }
    for (const origin of [
      'https://one.example.evil.test',
      'https://app.team.example.evil.test',
      'https://app.team.example:8443',
      'https://evil.test:1/https://one.example',
      'xhttps://one.example',
    ]) {
      const answer = await search(origin);
      assert.deepEqual(
        [answer.status, answer.headers.get('access-control-allow-origin')],
        [403, null],
        origin,
      );
    }
  });

  it('sets the default time to live of threads', async () => {
    const { thread_id } = await client().threads.create();
    const response = await fetch(`${served.url}/threads/${thread_id}?include=ttl`);
    const { ttl } = (await response.json()) as { ttl: { strategy: string; ttl_minutes: number } };
    assert.deepEqual([ttl.strategy, ttl.ttl_minutes], ['delete', 60]);
  });

  it('offers every assistant to MCP clients as a tool', async () => {
    const mcp = new McpClient({ name: 'test', version: '1' });
    const transport = new StreamableHTTPClientTransport(new URL(`${served.url}/mcp`));
    await mcp.connect(transport);
    const { tools } = await mcp.listTools();
    const tool = tools.find(({ name }) => name === 'one_node');
    assert.equal(tool?.inputSchema.type, 'object');
    const called = await mcp.callTool({ name: 'one_node', arguments: { value: 41 } });
    assert.deepEqual(called.content, [{ type: 'text', text: '{"value":42}' }]);
    assert.deepEqual(called.structuredContent, { value: 42 });
    assert.equal((await mcp.callTool({ name: 'throws', arguments: {} })).isError, true);
    await assert.rejects(mcp.callTool({ name: 'nobody', arguments: {} }), /Unknown tool/);
    await mcp.close();
  });

  it('gives MCP tools an output schema that every run satisfies', async () => {
    const zod = `zod_${crypto.randomUUID()}`;
    await client().assistants.create({ graphId: 'with_zod', name: zod, context: { model: 'm' } });
    const mcp = new McpClient({ name: 'test', version: '1' });
    await mcp.connect(new StreamableHTTPClientTransport(new URL(`${served.url}/mcp`)));
    // The client validates every response against the listed schema, and fails if they differ.
    const { tools } = await mcp.listTools();
    const outputOf = (name: string) => tools.find((tool) => tool.name === name)?.outputSchema;
    assert.deepEqual(Object.keys(outputOf(zod)?.properties ?? {}), ['question', 'count']);
    assert.equal(outputOf('one_node')?.type, 'object');
    assert.equal(outputOf('functional'), undefined, 'nothing is known of its output');
    const structured = async (name: string, given: Record<string, unknown>) => {
      const { structuredContent, content } = await mcp.callTool({ name, arguments: given });
      assert.deepEqual(content, [{ type: 'text', text: JSON.stringify(structuredContent) }], name);
      return structuredContent;
    };
    assert.deepEqual(await structured(zod, { question: 'why' }), { question: 'why (m)', count: 1 });
    await structured('exotic', {});
    const messages = [{ role: 'user', content: 'The weather in Paris?' }];
    await structured('agent', { messages });
    assert.equal((await mcp.callTool({ name: 'throws', arguments: {} })).structuredContent, undefined);
    await mcp.close();
  });

  it('cancels an MCP call that its client cancels, and no call of another client', async () => {
    const open = async () => {
      const mcp = new McpClient({ name: 'test', version: '1' });
      const transport = new StreamableHTTPClientTransport(new URL(`${served.url}/mcp`));
      await mcp.connect(transport);
      return { mcp, transport };
    };
    // Their requests have the same IDs.
    const [giving, staying] = [await open(), await open()];
    const busy = () => client().threads.search({ status: 'busy' });
    const canceling = new AbortController();
    const start = async ({ mcp }: typeof giving, signal?: AbortSignal) => {
      const before = (await busy()).length;
      const called = mcp.callTool(
        { name: 'slow', arguments: { ms: 300_000 } },
        undefined,
        signal && { signal },
      );
      await eventually('its run has started', async () => (await busy()).length === before + 1);
      return { called, threads: (await busy()).map(({ thread_id }) => thread_id) };
    };
    const { called: given, threads } = await start(giving, canceling.signal);
    const { called: stayed, threads: both } = await start(staying);
    canceling.abort('no longer needed');
    await assert.rejects(given, /no longer needed/);
    const left = both.filter((id) => !threads.includes(id));
    await eventually('only the other run is left', async () => (await busy()).length === 1);
    assert.deepEqual(
      (await busy()).map(({ thread_id }) => thread_id),
      left,
    );
    await client().runs.cancelMany({ threadId: left[0] ?? '', status: 'all' });
    await stayed;

    await giving.transport.terminateSession();
    for (const { mcp } of [giving, staying]) await mcp.close();
    const refused = await fetch(`${served.url}/mcp`, { method: 'DELETE' });
    assert.equal(refused.status, 404);
  });

  it('cancels an MCP call that arrives after its cancellation', async () => {
    const post = async (session: string | undefined, message: object) => {
      const answer = await fetch(`${served.url}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(session === undefined ? {} : { 'mcp-session-id': session }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      });
      return { answer, session: answer.headers.get('mcp-session-id') ?? '' };
    };
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'a', version: '1' },
    };
    const { session } = await post(undefined, { id: 0, method: 'initialize', params });
    const early = { method: 'notifications/cancelled', params: { requestId: 7 } };
    assert.equal((await post(session, early)).answer.status, 202);
    const call = { method: 'tools/call', params: { name: 'slow', arguments: { ms: 20_000 } } };
    const canceled = z
      .object({ result: z.looseObject({ isError: z.literal(true), content: z.unknown() }) })
      .loose()
      .parse(await (await post(session, { id: 7, ...call })).answer.json());
    assert.match(JSON.stringify(canceled.result.content), /client canceled the call/);
    await eventually(
      'its run has ended',
      () => client().threads.search({ status: 'busy' }),
      (busy) => busy.length === 0,
    );
  });

  it('keeps an interrupted MCP call until the tool is called again with the answer', async () => {
    const mcp = new McpClient({ name: 'test', version: '1' });
    await mcp.connect(new StreamableHTTPClientTransport(new URL(`${served.url}/mcp`)));
    const Waiting = z.object({
      structuredContent: z.looseObject({
        answers: z.array(z.string()),
        __interrupt__: z.array(z.looseObject({ value: z.object({ question: z.string() }) })),
        __resume__: z.object({ thread_id: z.uuid(), how: z.string() }),
      }),
      content: z.tuple([z.object({ text: z.string() }), z.object({ text: z.string() })]),
    });
    const call = async (name: string, given: Record<string, unknown>) =>
      mcp.callTool({ name, arguments: given });
    const { structuredContent, content } = Waiting.parse(await call('approval', { topic: 'it' }));
    assert.equal(structuredContent.__interrupt__[0]?.value.question, 'Publish it?');
    assert.deepEqual(JSON.parse(content[0].text), structuredContent);
    const { thread_id } = structuredContent.__resume__;
    assert.match(content[1].text, new RegExp(`is waiting for an answer.*"__resume__":.*${thread_id}`));
    assert.equal((await client().threads.get(thread_id)).status, 'interrupted');
    const kept: unknown = await (await fetch(`${served.url}/threads/${thread_id}?include=ttl`)).json();
    const { ttl } = z.looseObject({ ttl: z.looseObject({ ttl_minutes: z.int() }) }).parse(kept);
    assert.deepEqual(
      [ttl.strategy, ttl.ttl_minutes],
      ['delete', 7 * 24 * 60],
      'until nothing answers anymore',
    );

    const answer = { __resume__: { thread_id, value: 'yes' } };
    await assert.rejects(call('one_node', answer), /thread_id: thread '.*' is not waiting/);
    await assert.rejects(call('approval', { __resume__: { thread_id: 'mine' } }), /__resume__\.thread_id/);
    const done = await call('approval', answer);
    assert.deepEqual(done.structuredContent, { topic: 'it', answers: ['draft of it', 'yes', 'published'] });
    await assert.rejects(client().threads.get(thread_id), /404/, 'it goes when the run has ended');
    await assert.rejects(call('approval', answer), /thread '.*' is not waiting/);

    // Another user's thread would be deleted with the run.
    const own = await client().threads.create();
    await client().runs.wait(own.thread_id, 'approval', { input: { topic: 'mine' } });
    const others = { __resume__: { thread_id: own.thread_id, value: 'yes' } };
    await assert.rejects(call('approval', others), /thread '.*' is not waiting/);
    await mcp.close();
  });

  it('provides metrics', async () => {
    const text = await (await fetch(`${served.url}/metrics`)).text();
    assert.match(text, /^# TYPE lg_api_num_pending_runs gauge\nlg_api_num_pending_runs 0$/m);
    const json: unknown = await (await fetch(`${served.url}/metrics?format=json`)).json();
    assert.ok(typeof json === 'object' && json !== null && 'queue' in json);
  });

  it('calls webhooks of ended runs, with retries', async () => {
    const bodies: unknown[] = [];
    let refusals = 1;
    const receiver = createServer(async (request, response) => {
      const body = await read(request);
      if (refusals-- > 0) return void response.writeHead(503).end();
      assert.equal(request.headers['content-type'], 'application/json');
      bodies.push(JSON.parse(body));
      response.end();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => receiver.once('listening', resolve));
    const port = portOf(receiver);
    const { thread_id } = await client().threads.create();
    const webhook = `http://127.0.0.1:${port}/hook`;
    await client().runs.wait(thread_id, 'one_node', { input: { value: 1 }, webhook });
    await eventually('the webhook has come', () => bodies.length > 0);
    const [body] = bodies as { status: string; values: unknown; run_ended_at: string }[];
    assert.equal(body?.status, 'success');
    assert.deepEqual(body?.values, { value: 2 });
    assert.ok(body?.run_ended_at);
    receiver.close();
  });

  it('refuses a run whose webhook would call this server', async () => {
    const { thread_id } = await client().threads.create();
    const before = await client().threads.count();
    for (const webhook of [`${served.url}/threads`, `${served.platformUrl}/harbor/shutdown`, '/threads']) {
      await assert.rejects(
        client().runs.create(thread_id, 'one_node', { input: { value: 1 }, webhook }),
        /422.*body.webhook: Webhook not sent/,
      );
      const schedule = '0 0 1 1 *';
      await assert.rejects(client().crons.create('one_node', { schedule, input: {}, webhook }), /422/);
    }
    assert.equal((await client().runs.list(thread_id)).length, 0);
    assert.equal(await client().threads.count(), before);
  });

  it('gives a new thread the run’s metadata, and a run that of its thread and config', async () => {
    const made = crypto.randomUUID();
    const topic = crypto.randomUUID();
    await client().runs.wait(made, 'one_node', {
      input: { value: 1 },
      ifNotExists: 'create',
      metadata: { topic },
    });
    const found = await client().threads.search({ metadata: { topic } });
    assert.deepEqual(
      found.map(({ thread_id }) => thread_id),
      [made],
    );
    const run = await client().runs.create(made, 'one_node', {
      input: { value: 1 },
      config: { metadata: { told: 'here' } } as object,
      metadata: { mood: 'good' },
    });
    const { graph_id, assistant_id, ...metadata } = run.metadata ?? {};
    assert.deepEqual([graph_id, assistant_id], ['one_node', run.assistant_id]);
    assert.deepEqual(metadata, { created_by: 'system', topic, told: 'here', mood: 'good' });
    await client().runs.join(made, run.run_id);
  });

  it('sends all events of a large run to a slow reader', async () => {
    const events = client().runs.stream(null, 'custom_events', {
      input: { count: 20_000 },
      streamMode: 'custom',
    });
    let seen = 0;
    for await (const { event, data } of events) {
      if (event !== 'custom') continue;
      assert.deepEqual(data, { index: seen++ });
      if (seen % 5_000 === 0) await new Promise((resolve) => setTimeout(resolve, 150));
    }
    assert.equal(seen, 20_000);
  });
});

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
