import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { installOnce, npm } from '../support/cache.ts';
import { type ServedProject, serveProject } from '../support/served-project.ts';
import { eventually } from '../support/wait.ts';

/** The official client, which supports both eras of MCP, and a package that adds tasks. */
const PACKAGES = { '@modelcontextprotocol/client': '2.4.0', '@modelcontextprotocol/ext-tasks': '0.2.2' };

/** Asks what its input says, one after another in one node; and waits for a file. */
const GRAPHS = `
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Annotation, END, interrupt, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ asks: Annotation<any[]>, answers: Annotation<any[]> });
export const asks = new StateGraph(State)
  .addNode('ask', ({ asks }) => ({ answers: asks.map((ask) => interrupt(ask)) }))
  .addEdge(START, 'ask')
  .addEdge('ask', END)
  .compile();

const Both = Annotation.Root({ answers: Annotation<any[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }) });
export const both = new StateGraph(Both)
  .addNode('left', () => ({ answers: ['left: ' + interrupt('Left?')] }))
  .addNode('right', () => ({ answers: ['right: ' + interrupt('Right?')] }))
  .addEdge(START, 'left')
  .addEdge(START, 'right')
  .addEdge('left', END)
  .addEdge('right', END)
  .compile();

const Waits = Annotation.Root({ file: Annotation<string>, seen: Annotation<boolean> });
export const waits = new StateGraph(Waits)
  .addNode('wait', async ({ file }, { signal }) => {
    while (!existsSync(file)) await delay(50, undefined, { signal });
    return { seen: true };
  })
  .addEdge(START, 'wait')
  .addEdge('wait', END)
  .compile();
`;
const FILES = {
  'asks.ts': GRAPHS,
  'langgraph.json': JSON.stringify({
    node_version: '20',
    graphs: { asks: './asks.ts:asks', both: './asks.ts:both', waits: './asks.ts:waits' },
    http: { mcp: { tasks: { poll_interval_ms: 100 } } },
  }),
};

type Reply = { action: 'accept'; content?: Record<string, unknown> } | { action: 'decline' | 'cancel' };

const Tool = z.looseObject({ name: z.string(), inputSchema: z.looseObject({ type: z.literal('object') }) });
const Result = z.looseObject({
  structuredContent: z.looseObject({}).optional(),
  content: z.array(z.looseObject({ text: z.string() })),
  isError: z.boolean().optional(),
});

interface McpClient {
  connect(transport: unknown): Promise<void>;
  getNegotiatedProtocolVersion(): string | undefined;
  listTools(): Promise<unknown>;
  callTool(call: object): Promise<unknown>;
  readResource(resource: { uri: string }): Promise<unknown>;
  getInstructions(): string | undefined;
  setRequestHandler(method: string, handler: (request: { params: unknown }) => Promise<Reply>): void;
  close(): Promise<void>;
}
interface TaskSession extends AsyncDisposable {
  callTool(
    name: string,
    params: object,
  ): Promise<{
    kind: string;
    handle?: { taskId: string };
    settle(): Promise<{ outcome: { status: string; result?: unknown } }>;
  }>;
  cancelTask(taskId: string): Promise<void>;
}

describe("MCP's own client", function () {
  this.timeout(180_000);
  let served: ServedProject;
  let sdk: {
    Client: new (info: object, options: object) => McpClient;
    StreamableHTTPClientTransport: new (url: URL, options?: object) => unknown;
  };
  let tasks: { createTaskSessionFromClient(client: McpClient, options: object): TaskSession };
  before(async () => {
    const { folder } = await installOnce({
      name: 'mcp-client',
      versions: PACKAGES,
      install: async (target) => {
        await writeFile(
          path.join(target, 'package.json'),
          JSON.stringify({ private: true, dependencies: PACKAGES }),
        );
        await npm(['install'], target);
        return {};
      },
    });
    const packages = createRequire(path.join(folder, 'index.js'));
    const load = async (name: string): Promise<unknown> => import(pathToFileURL(packages.resolve(name)).href);
    sdk = z
      .object({
        Client: z.custom<typeof sdk.Client>(),
        StreamableHTTPClientTransport: z.custom<typeof sdk.StreamableHTTPClientTransport>(),
      })
      .parse({ ...Object(await load('@modelcontextprotocol/client')) });
    // It has no entry for `require`.
    const extTasks = path.join(folder, 'node_modules/@modelcontextprotocol/ext-tasks/dist/client/index.js');
    tasks = z
      .object({ createTaskSessionFromClient: z.custom<typeof tasks.createTaskSessionFromClient>() })
      .parse({ ...Object(await import(pathToFileURL(extTasks).href)) });
    served = await serveProject({ empty: true, files: FILES });
  });
  after(() => served?.[Symbol.asyncDispose]());

  const CAPABILITIES = { elicitation: { form: {}, url: {} } };
  const TASKS = { ...CAPABILITIES, extensions: { 'io.modelcontextprotocol/tasks': {} } };
  const MODERN = '2026-07-28';

  async function connect(mode: 'legacy' | 'auto', capabilities: object = {}): Promise<McpClient> {
    const client = new sdk.Client(
      { name: 'test', version: '1' },
      { capabilities, versionNegotiation: { mode } },
    );
    await client.connect(new sdk.StreamableHTTPClientTransport(new URL(`${served.url}/mcp`)));
    return client;
  }

  /** A client whose user gives the replies in order. */
  async function connectUser(replies: Reply[], seen: unknown[] = []): Promise<McpClient> {
    const client = await connect('auto', CAPABILITIES);
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      seen.push(params);
      return replies.shift() ?? { action: 'cancel' };
    });
    return client;
  }

  const answersOf = (result: unknown): unknown => Result.parse(result).structuredContent?.answers;

  /** A request of the modern era as sent over the wire. */
  async function post(method: string, params: object, headers: Record<string, string> = {}) {
    const named = z.looseObject({ name: z.string().optional() }).parse(params).name;
    const response = await fetch(`${served.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': MODERN,
        'mcp-method': method,
        ...(named === undefined ? {} : { 'mcp-name': named }),
        ...headers,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method,
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': MODERN,
            'io.modelcontextprotocol/clientCapabilities': CAPABILITIES,
          },
          ...params,
        },
      }),
    });
    const Answer = z.looseObject({
      result: z.looseObject({}).optional(),
      error: z
        .looseObject({ code: z.int(), message: z.string(), data: z.looseObject({}).optional() })
        .optional(),
    });
    return { status: response.status, ...Answer.parse(await response.json()) };
  }

  /** A session that follows tasks, whose user gives the replies in order. */
  async function follow(replies: Reply[]): Promise<TaskSession> {
    const client = await connect('auto', TASKS);
    let id = 0;
    return tasks.createTaskSessionFromClient(client, {
      endpointId: 'here',
      rawDispatch: async (request: { method: string; params: { taskId?: string; name?: string } }) => {
        const { method, params } = request;
        const name = params.taskId ?? params.name;
        const response = await fetch(`${served.url}/mcp`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'mcp-protocol-version': MODERN,
            'mcp-method': method,
            ...(name === undefined ? {} : { 'mcp-name': name }),
          },
          body: JSON.stringify({ ...request, jsonrpc: '2.0', id: ++id }),
        });
        const { result, error } = z
          .looseObject({ result: z.unknown(), error: z.unknown() })
          .partial()
          .parse(await response.json());
        return error === undefined ? { kind: 'result', result } : { kind: 'error', error };
      },
      v2RequestFraming: {
        protocolVersion: MODERN,
        clientInfo: { name: 'test', version: '1' },
        clientCapabilities: TASKS,
      },
      onInputRequest: async () => replies.shift() ?? { action: 'cancel' },
    });
  }

  const FORM = {
    mode: 'form',
    message: 'Choose a color',
    requestedSchema: {
      type: 'object',
      properties: { color: { type: 'string', enum: ['red', 'blue'] } },
      required: ['color'],
    },
  };
  const URL_QUESTION = { mode: 'url', message: 'Connect', url: 'https://example.com/connect?state=s' };
  const HITL = {
    action_requests: [{ name: 'send', args: { to: 'ann' }, description: 'Send it?' }],
    review_configs: [{ action_name: 'send', allowed_decisions: ['approve', 'edit', 'reject'] }],
  };
  /** As LangChain writes it in JavaScript. */
  const HITL_OF_JAVASCRIPT = {
    actionRequests: [{ name: 'send', args: { to: 'ann' }, description: 'Send it?' }],
    reviewConfigs: [{ actionName: 'send', allowedDecisions: ['approve', 'edit'] }],
  };
  const INBOX = [
    {
      action_request: { action: 'send', args: { to: 'ann' } },
      config: { allow_accept: true, allow_edit: true, allow_respond: true, allow_ignore: true },
    },
  ];
  /** As LangChain's MCP adapter writes it in Python. */
  const ELICITATION_OF_LANGCHAIN = {
    type: 'mcp_elicitation',
    tool_name: 'paint',
    requests: [
      { key: 'a', mode: 'form', message: 'Which?', requested_schema: FORM.requestedSchema },
      { key: 'b', mode: 'url', message: 'Connect', url: URL_QUESTION.url },
    ],
  };
  const SHAPES = [
    FORM,
    'Your name?',
    URL_QUESTION,
    HITL,
    HITL_OF_JAVASCRIPT,
    INBOX,
    ELICITATION_OF_LANGCHAIN,
    { question: 'How many?', why: 1 },
  ];
  const REPLIES: Reply[] = [
    { action: 'accept', content: { color: 'blue' } },
    { action: 'accept', content: { response: 'Ada' } },
    { action: 'accept' },
    { action: 'accept', content: { decision: 'edit', arguments: '{"to":"bob"}' } },
    { action: 'accept', content: { decision: 'edit', arguments: '{"to":"eve"}' } },
    { action: 'accept', content: { decision: 'response', message: 'Not now' } },
    { action: 'accept', content: { color: 'red' } },
    { action: 'decline' },
    { action: 'accept', content: { response: '3' } },
  ];
  const ANSWERS = [
    { action: 'accept', content: { color: 'blue' } },
    'Ada',
    { action: 'accept' },
    { decisions: [{ type: 'edit', edited_action: { name: 'send', args: { to: 'bob' } } }] },
    { decisions: [{ type: 'edit', editedAction: { name: 'send', args: { to: 'eve' } } }] },
    [{ type: 'response', args: 'Not now' }],
    { responses: { a: { action: 'accept', content: { color: 'red' } }, b: { action: 'decline' } } },
    3,
  ];

  it('finds and calls tools in both eras', async () => {
    for (const [mode, version] of [
      ['legacy', '2025-11-25'],
      ['auto', MODERN],
    ] as const) {
      const client = await connect(mode);
      assert.equal(client.getNegotiatedProtocolVersion(), version);
      const { tools } = z.looseObject({ tools: z.array(Tool) }).parse(await client.listTools());
      assert.deepEqual(tools.map(({ name }) => name).toSorted(), ['asks', 'both', 'waits']);
      assert.deepEqual(answersOf(await client.callTool({ name: 'asks', arguments: { asks: [] } })), []);
      await assert.rejects(client.callTool({ name: 'nobody', arguments: {} }), /Unknown tool/);
      await client.close();
    }
  });

  describe('as a coding agent at /harbor/mcp', () => {
    const READING = ['list_traces', 'read_trace', 'compare_traces', 'errors_in_file'];

    async function connectAgent(mode: 'legacy' | 'auto', key: string, query = ''): Promise<McpClient> {
      const client = new sdk.Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      await client.connect(
        new sdk.StreamableHTTPClientTransport(new URL(`${served.platformUrl}/harbor/mcp${query}`), {
          requestInit: { headers: { 'x-api-key': key } },
        }),
      );
      return client;
    }

    const namesOf = async (client: McpClient) =>
      z
        .looseObject({ tools: z.array(Tool) })
        .parse(await client.listTools())
        .tools.map(({ name }) => name);

    async function call(client: McpClient, name: string, given: object = {}) {
      const { isError, content, structuredContent } = Result.parse(
        await client.callTool({ name, arguments: given }),
      );
      if (isError === true) throw new Error(content.map(({ text }) => text).join(''));
      return structuredContent ?? {};
    }

    async function makeKey(rights: readonly string[]): Promise<string> {
      const response = await fetch(`${served.platformUrl}/api-key`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': served.apiKey },
        body: JSON.stringify({ rights }),
      });
      return z.looseObject({ key: z.string() }).parse(await response.json()).key;
    }

    it('runs a graph, answers it, and reads its thread and trace, in both eras', async () => {
      for (const [mode, version] of [
        ['legacy', '2025-11-25'],
        ['auto', MODERN],
      ] as const) {
        const client = await connectAgent(mode, served.apiKey);
        assert.equal(client.getNegotiatedProtocolVersion(), version);
        assert.deepEqual(await namesOf(client), [
          ...READING,
          ...['read_thread', 'graph_structure', 'run_node', 'run_graph', 'answer'],
        ]);
        assert.match(client.getInstructions() ?? '', /agent-harbor mcp.*reproduce.*\n.*do not follow/);
        const { graphs } = await call(client, 'graph_structure', { graph: 'both' });
        assert.match(JSON.stringify(graphs), /\{"name":"left","place":"asks\.ts:\d+"\}/);
        const asked = await call(client, 'run_graph', { graph: 'both', input: {} });
        const { thread_id, trace_id } = asked;
        assert.equal(asked.outcome, 'interrupted');
        const { interrupts } = await call(client, 'read_thread', { thread_id });
        assert.match(JSON.stringify(interrupts), /Left\?.*Right\?/);
        const alone = await call(client, 'run_node', {
          ...{ node: 'ask', graph: 'asks' },
          input: { asks: [] },
        });
        assert.deepEqual([alone.status, alone.update], ['success', { answers: [] }]);
        await eventually('the trace is stored', async () =>
          JSON.stringify(await call(client, 'list_traces')).includes(String(trace_id)),
        );
        const { spans } = await call(client, 'read_trace', { trace_id });
        assert.match(JSON.stringify(spans), /"name":"left"/);
        const read = await client.readResource({ uri: `harbor://thread/${String(thread_id)}` });
        assert.match(JSON.stringify(read), /Left\?/);
        await client.close();
      }
    });

    it('gets the tools that its key has rights for, and is told which deployments there are', async () => {
      const key = await makeKey(['read']);
      const client = await connectAgent('auto', key);
      assert.deepEqual(await namesOf(client), READING);
      assert.ok(Array.isArray((await call(client, 'list_traces')).traces));
      await assert.rejects(client.callTool({ name: 'run_graph', arguments: {} }), /run_graph/);
      await assert.rejects(
        client.readResource({ uri: `harbor://thread/${crypto.randomUUID()}` }),
        /Resource not found/,
      );
      await client.close();
      const lost = await connectAgent('auto', served.apiKey, '?deployment=nobody');
      await assert.rejects(
        call(lost, 'run_graph', { graph: 'both', input: {} }),
        /no deployment 'nobody'\. Deployments: \S+/,
      );
      await lost.close();
    });

    it('is refused without a key, with one that may not read, and from a foreign page', async () => {
      const ask = async (headers: Record<string, string>) =>
        (
          await fetch(`${served.platformUrl}/harbor/mcp`, {
            method: 'POST',
            headers: {
              ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
              ...headers,
            },
            body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
          })
        ).status;
      const right = { 'x-api-key': served.apiKey };
      assert.deepEqual(
        [
          await ask(right),
          await ask({}),
          await ask({ 'x-api-key': await makeKey(['run']) }),
          await ask({ ...right, origin: 'https://example.com' }),
        ],
        [200, 401, 403, 403],
      );
    });
  });

  it('is told how to answer by arguments when it cannot ask its user', async () => {
    const client = await connect('auto');
    const Waiting = z.looseObject({ __resume__: z.looseObject({ thread_id: z.uuid() }) });
    const asked = Result.parse(await client.callTool({ name: 'asks', arguments: { asks: ['Name?'] } }));
    const { thread_id } = Waiting.parse(asked.structuredContent).__resume__;
    const again = { __resume__: { thread_id, value: 'Ada' } };
    assert.deepEqual(answersOf(await client.callTool({ name: 'asks', arguments: again })), ['Ada']);
    await client.close();
  });

  it('asks its user what interrupts say, in several rounds of one call', async () => {
    const seen: unknown[] = [];
    const client = await connectUser([...REPLIES], seen);
    assert.deepEqual(
      answersOf(await client.callTool({ name: 'asks', arguments: { asks: SHAPES } })),
      ANSWERS,
    );
    const Asked = z.looseObject({
      mode: z.string(),
      message: z.string(),
      requestedSchema: z.looseObject({ properties: z.record(z.string(), z.looseObject({})) }).optional(),
    });
    const asked = seen.map((each) => Asked.parse(each));
    assert.deepEqual(asked[0], FORM);
    assert.deepEqual(asked[2], URL_QUESTION);
    assert.equal(asked[1]?.message, 'Your name?');
    assert.match(asked[3]?.message ?? '', /^Send it\?\nsend\(\{"to":"ann"\}\)$/);
    assert.deepEqual(Object.keys(asked[3]?.requestedSchema?.properties ?? {}), [
      'decision',
      'arguments',
      'message',
    ]);
    assert.match(asked[4]?.message ?? '', /^Send it\?\nsend\(/);
    assert.deepEqual(
      asked.slice(6).map(({ message }) => message),
      ['Which?', 'Connect', 'How many?'],
    );
    assert.deepEqual(
      answersOf(
        await (
          await connectUser([
            { action: 'accept', content: { response: 'a' } },
            { action: 'accept', content: { response: 'b' } },
          ])
        ).callTool({ name: 'both', arguments: {} }),
      ),
      ['left: a', 'right: b'],
    );
    await client.close();
  });

  it('passes declined questions on to graphs that accept a refusal, and ends other calls', async () => {
    const client = await connectUser([
      { action: 'decline' },
      { action: 'cancel' },
      { action: 'decline' },
      { action: 'decline' },
      { action: 'decline' },
    ]);
    const asks = [FORM, URL_QUESTION, HITL, INBOX];
    assert.deepEqual(answersOf(await client.callTool({ name: 'asks', arguments: { asks } })), [
      { action: 'decline' },
      { action: 'cancel' },
      { decisions: [{ type: 'reject' }] },
      [{ type: 'ignore', args: null }],
    ]);
    const ended = Result.parse(await client.callTool({ name: 'asks', arguments: { asks: ['Name?'] } }));
    assert.deepEqual(
      [ended.isError, ended.content[0]?.text],
      [true, 'Nobody answered the question, so the call has ended.'],
    );
    const nested = { ...FORM, requestedSchema: { type: 'object', properties: { a: { type: 'object' } } } };
    const refused = Result.parse(await client.callTool({ name: 'asks', arguments: { asks: [nested] } }));
    assert.match(refused.content[0]?.text ?? '', /requestedSchema\.properties\.a is not a form/);
    await client.close();
  });

  it('keeps the thread of a call that asks for it', async () => {
    const client = await connect('auto', CAPABILITIES);
    const call = async (thread_id: string) =>
      z
        .looseObject({ thread_id: z.uuid() })
        .parse(
          Result.parse(await client.callTool({ name: 'both', arguments: { thread_id } })).structuredContent,
        ).thread_id;
    client.setRequestHandler('elicitation/create', async () => ({
      action: 'accept',
      content: { response: 'x' },
    }));
    const kept = await call('new');
    assert.equal(await call(kept), kept);
    const state: unknown = await (await fetch(`${served.url}/threads/${kept}/state`)).json();
    const { answers } = z
      .looseObject({ values: z.looseObject({ answers: z.array(z.string()) }) })
      .parse(state).values;
    assert.equal(answers.length, 4);
    await client.close();
  });

  it('gets the same result when it repeats an answer, and nothing with the state of another call', async () => {
    const call = { name: 'asks', arguments: { asks: ['Name?'] } };
    const { result } = await post('tools/call', call);
    const Asked = z.looseObject({
      resultType: z.literal('input_required'),
      inputRequests: z.record(z.string(), z.unknown()),
      requestState: z.string(),
    });
    const { inputRequests, requestState } = Asked.parse(result);
    const [key = ''] = Object.keys(inputRequests);
    const again = Asked.parse((await post('tools/call', { ...call, requestState })).result);
    assert.deepEqual(again.inputRequests, inputRequests, 'it is asked again without an answer');
    const unfit = { [key]: { action: 'accept', content: { response: 1 } } };
    assert.equal(
      (await post('tools/call', { ...call, requestState, inputResponses: unfit })).error?.code,
      -32602,
    );
    const other = { name: 'asks', arguments: { asks: ['Other?'] }, requestState };
    assert.equal((await post('tools/call', other)).error?.code, -32602);
    const inputResponses = { [key]: { action: 'accept', content: { response: 'Ada' } } };
    const twice = await Promise.all([
      post('tools/call', { ...call, requestState, inputResponses }),
      post('tools/call', { ...call, requestState, inputResponses }),
    ]);
    for (const { result: done } of twice) assert.deepEqual(answersOf(done), ['Ada']);
    assert.deepEqual(
      answersOf((await post('tools/call', { ...call, requestState, inputResponses })).result),
      ['Ada'],
    );
  });

  it('follows questions as tasks, each with its own key', async () => {
    await using session = await follow([...REPLIES]);
    const { outcome } = await (await session.callTool('asks', { asks: SHAPES })).settle();
    assert.deepEqual([outcome.status, answersOf(outcome.result)], ['completed', ANSWERS]);
    await using partly = await follow([
      { action: 'accept', content: { response: 'a' } },
      { action: 'accept', content: { response: 'b' } },
    ]);
    const both = await (await partly.callTool('both', {})).settle();
    assert.deepEqual(answersOf(both.outcome.result), ['left: a', 'right: b']);
    await using declining = await follow([{ action: 'decline' }]);
    const declined = await (await declining.callTool('asks', { asks: ['Name?'] })).settle();
    assert.equal(declined.outcome.status, 'cancelled');
  });

  it('gets no task from an assistant whose metadata forbids them', async () => {
    const made = await fetch(`${served.url}/assistants`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ graph_id: 'asks', name: 'no_tasks', metadata: { mcp: { tasks: false } } }),
    });
    assert.equal(made.status, 200);
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientCapabilities': TASKS,
    };
    const typeOf = async (name: string) =>
      (await post('tools/call', { _meta, name, arguments: { asks: ['Name?'] } })).result?.resultType;
    assert.deepEqual([await typeOf('no_tasks'), await typeOf('asks')], ['input_required', 'task']);
  });

  it('follows a long call as a task, and cancels one', async () => {
    const file = path.join(served.dataDir, 'go');
    await using session = await follow([]);
    const [long, canceled] = await Promise.all([
      session.callTool('waits', { file }),
      session.callTool('waits', { file: `${file}-never` }),
    ]);
    assert.deepEqual([long.kind, canceled.kind], ['task', 'task']);
    await session.cancelTask(canceled.handle?.taskId ?? '');
    await writeFile(file, '');
    const { outcome } = await long.settle();
    assert.equal(Result.parse(outcome.result).structuredContent?.seen, true);
    const Thread = z.looseObject({ status: z.string().optional() });
    const gone = async () => {
      const thread = await fetch(`${served.url}/threads/${canceled.handle?.taskId}`);
      return Thread.parse(await thread.json()).status !== 'busy';
    };
    await eventually('the run behind the canceled task has ended', gone);
  });

  it('is refused if headers and body differ', async () => {
    const discovered = await post('server/discover', {});
    assert.deepEqual(
      [discovered.status, discovered.result?.resultType, discovered.result?.cacheScope],
      [200, 'complete', 'public'],
    );
    const list = async (headers: Record<string, string>, params: object = {}) => {
      const { status, error } = await post('tools/list', params, headers);
      return [status, error?.code];
    };
    assert.deepEqual(await list({ 'mcp-method': 'tools/call' }), [400, -32020]);
    assert.deepEqual(await list({ 'mcp-protocol-version': '2025-11-25' }), [400, -32020]);
    assert.deepEqual(await list({}, { _meta: {} }), [400, -32602]);
    const old = { _meta: { 'io.modelcontextprotocol/protocolVersion': '1900-01-01' } };
    assert.deepEqual(await list({ 'mcp-protocol-version': '1900-01-01' }, old), [400, -32022]);
    const named = { name: 'asks', arguments: { asks: [] } };
    assert.equal((await post('tools/call', named, { 'mcp-name': 'both' })).error?.code, -32020);
    assert.equal((await post('tools/call', named, { 'mcp-name': '=?base64?YXNrcw==?=' })).status, 200);
    assert.deepEqual(
      [(await post('prompts/list', {})).status, (await post('ping', {})).error?.code],
      [404, -32601],
    );
    const batch = await fetch(`${served.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': MODERN,
      },
      body: JSON.stringify([{ jsonrpc: '2.0', id: 1, method: 'server/discover' }]),
    });
    assert.deepEqual([batch.status, /no batches/.test(await batch.text())], [400, true]);
    const task = await post('tasks/get', { taskId: crypto.randomUUID() });
    assert.deepEqual([task.status, task.error?.code], [400, -32021]);
    const noUrl = {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': MODERN,
        'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
      },
    };
    const refused = await post('tools/call', { ...noUrl, name: 'asks', arguments: { asks: [URL_QUESTION] } });
    assert.deepEqual(refused.error?.data, { requiredCapabilities: { elicitation: { url: {} } } });
  });
});
