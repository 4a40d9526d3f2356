import assert from 'node:assert/strict';
import { z } from 'zod';
import { type ServedProject, serveProject } from '../../../../support/served-project.ts';

const Task = z.looseObject({
  kind: z.literal('task'),
  id: z.string(),
  contextId: z.string(),
  status: z.looseObject({ state: z.string() }),
  artifacts: z
    .array(z.looseObject({ parts: z.array(z.looseObject({ text: z.string().optional() })) }))
    .optional(),
  history: z.array(z.looseObject({ role: z.string() })).optional(),
});
const Card = z.looseObject({ name: z.string(), url: z.string() });
const Page = z.looseObject({
  tasks: z.array(
    z.looseObject({
      id: z.string(),
      status: z.looseObject({ state: z.string() }),
      artifacts: z.array(z.unknown()).optional(),
      history: z.array(z.unknown()).optional(),
    }),
  ),
  nextPageToken: z.string(),
  pageSize: z.int(),
  totalSize: z.int(),
});
const State = z.looseObject({
  values: z.looseObject({ messages: z.array(z.looseObject({ content: z.unknown() })) }),
});
const TextPart = z.looseObject({ text: z.string().optional() });
const StreamedAnswer = z.looseObject({
  result: z.looseObject({
    kind: z.string(),
    final: z.boolean().optional(),
    status: z
      .looseObject({
        state: z.string(),
        message: z.looseObject({ messageId: z.string(), parts: z.array(TextPart) }).optional(),
      })
      .optional(),
    artifact: z.looseObject({ parts: z.array(TextPart) }).optional(),
  }),
});
const Answer = z.looseObject({
  id: z.union([z.string(), z.number()]).nullable(),
  result: z.unknown().optional(),
  error: z.looseObject({ code: z.int(), message: z.string() }).optional(),
});

const graphs = {
  agent: './chat.ts:agent',
  approval: './interrupts.ts:approval',
  fails: './streams.ts:fails',
  nested: './interrupts.ts:nested',
  one_node: './basic.ts:oneNode',
  slow: './troubles.ts:slow',
  ten_nodes: './basic.ts:tenNodes',
};

describe('A2A', function () {
  this.timeout(60_000);
  let served: ServedProject;
  before(async () => {
    served = await serveProject({ config: { graphs } });
  });
  after(() => served[Symbol.asyncDispose]());

  const post = (assistant: string, method: string, params: object, headers: Record<string, string> = {}) =>
    fetch(`${served.url}/a2a/${assistant}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: '1', method, params }),
    });
  const call = async (assistant: string, method: string, params: object) =>
    Answer.parse(await (await post(assistant, method, params)).json());
  const message = (text: string, more: object = {}) => ({
    message: { role: 'user', parts: [{ kind: 'text', text }], messageId: crypto.randomUUID(), ...more },
  });
  const data = (fields: object, more: object = {}) =>
    message('', { parts: [{ kind: 'data', data: fields }], ...more });
  const taskOf = async (assistant: string, method: string, params: object) => {
    const { result, error } = await call(assistant, method, params);
    assert.equal(error, undefined, error?.message);
    return Task.parse(result);
  };
  const codeOf = async (assistant: string, method: string, params: object) =>
    (await call(assistant, method, params)).error?.code;
  /** A task that works until it is canceled. */
  const begin = () =>
    taskOf('slow', 'message/send', { ...data({ ms: 600_000 }), configuration: { blocking: false } });
  const list = async (assistant: string, params: object) =>
    Page.parse((await call(assistant, 'ListTasks', params)).result);

  it('describes an assistant in a card', async () => {
    for (const path of [
      '/a2a/agent/.well-known/agent-card.json',
      '/.well-known/agent-card.json?assistant_id=agent',
    ]) {
      const card: unknown = await (await fetch(`${served.url}${path}`)).json();
      const { name, url, ...rest } = Card.parse(card);
      assert.equal(name, 'agent');
      assert.match(url, /\/a2a\/fe096781-/);
      assert.equal(rest.supportsAuthenticatedExtendedCard, false);
      assert.deepEqual(rest.capabilities, {
        streaming: true,
        pushNotifications: false,
        stateTransitionHistory: false,
        extendedAgentCard: false,
      });
    }
  });

  it('answers a message with a task whose context can be continued', async () => {
    const first = Task.parse((await call('agent', 'message/send', message('The weather in Paris?'))).result);
    assert.equal(first.status.state, 'completed');
    assert.match(first.artifacts?.[0]?.parts[0]?.text ?? '', /sunny/);
    const { contextId } = first;
    const second = Task.parse((await call('agent', 'message/send', message('Thanks', { contextId }))).result);
    assert.equal(second.contextId, contextId);
    const history = async (historyLength?: number) =>
      (await taskOf('agent', 'tasks/get', { id: second.id, contextId, historyLength })).history?.map(
        ({ role }) => role,
      );
    assert.deepEqual(await history(2), ['user', 'agent']);
    assert.deepEqual(await history(), ['user', 'agent', 'user', 'agent']);
    assert.equal(await history(0), undefined);
    assert.deepEqual(second.history?.length, 4);
  });

  it('requires input when the graph interrupts, and continues the same task with the answer', async () => {
    const asked = await taskOf('approval', 'message/send', data({ topic: 'it' }));
    assert.equal(asked.status.state, 'input-required');
    const { contextId, id } = asked;
    const done = await taskOf('approval', 'message/send', message('yes', { contextId }));
    assert.deepEqual([done.status.state, done.id, done.contextId], ['completed', id, contextId]);
    assert.match(JSON.stringify(done.artifacts), /"yes","published"/);

    const again = await taskOf('approval', 'message/send', data({ topic: 'them' }));
    const answer = message('', { parts: [{ text: 'no' }], taskId: again.id });
    assert.equal((await taskOf('approval', 'message/send', answer)).id, again.id);
    assert.equal((await taskOf('approval', 'tasks/get', { id: again.id })).status.state, 'completed');
  });

  it('accepts one of two answers that come at once', async () => {
    const { id } = await taskOf('approval', 'message/send', data({ topic: 'it' }));
    const answer = (text: string) => call('approval', 'message/send', message(text, { taskId: id }));
    const answers = await Promise.all([answer('yes'), answer('no')]);
    assert.deepEqual(
      answers.map(({ error }) => error?.code).sort((a = 0, b = 0) => a - b),
      [-32004, undefined],
    );
    const runs = await fetch(
      `${served.url}/threads/${(await taskOf('approval', 'tasks/get', { id })).contextId}/runs`,
    );
    assert.equal(z.array(z.unknown()).parse(await runs.json()).length, 2);
  });

  it('shows a question that is text as text', async () => {
    const asked = await taskOf('nested', 'message/send', data({ topic: 'the draft' }));
    assert.match(JSON.stringify(asked.status), /"kind":"text","text":"Is the draft fine\?"/);
  });

  it('keeps the result of a task when later tasks of its context change the thread', async () => {
    const first = await taskOf('one_node', 'message/send', data({ value: 1 }, { contextId: 'a chat' }));
    assert.equal(first.contextId, 'a chat');
    const second = await taskOf('one_node', 'message/send', data({ value: 10 }, { contextId: 'a chat' }));
    assert.match(JSON.stringify(second.artifacts), /"value":11/);
    assert.match(
      JSON.stringify((await taskOf('one_node', 'tasks/get', { id: first.id })).artifacts),
      /"value":2/,
    );
    const page = await list('one_node', { contextId: 'a chat' });
    assert.deepEqual(
      page.tasks.map(({ id }) => id),
      [second.id, first.id],
    );
  });

  it('shows only the messages of its time in the history of a task that failed', async () => {
    const failed = await taskOf('fails', 'message/send', message('first'));
    const { id, contextId } = failed;
    assert.equal(failed.status.state, 'failed');
    assert.equal(failed.history?.length, 2);
    await taskOf('fails', 'message/send', message('second', { contextId }));
    const { history } = await taskOf('fails', 'tasks/get', { id });
    assert.deepEqual(history, failed.history);
  });

  it('accepts no message for a task that has ended, nor one from another context', async () => {
    const { id } = await taskOf('one_node', 'message/send', data({ value: 1 }));
    const to = (more: object) => codeOf('one_node', 'message/send', data({ value: 1 }, more));
    assert.equal(await to({ taskId: id }), -32004);
    assert.equal(await to({ taskId: id, contextId: 'another' }), -32602);
    assert.equal(await to({ taskId: crypto.randomUUID() }), -32001);
    assert.equal(await codeOf('agent', 'message/send', message('x', { taskId: id })), -32001);
    assert.equal(await codeOf('agent', 'tasks/get', { id }), -32001);
  });

  it('cancels the run behind a task, once', async () => {
    const { id, contextId, status } = await begin();
    assert.match(status.state, /^(?:submitted|working)$/);
    assert.equal(await codeOf('slow', 'message/send', data({ ms: 0 }, { taskId: id })), -32004);
    assert.equal((await taskOf('slow', 'tasks/cancel', { id })).status.state, 'canceled');
    const run = await fetch(`${served.url}/threads/${contextId}/runs/${id}`);
    assert.equal(z.looseObject({ status: z.string() }).parse(await run.json()).status, 'interrupted');
    assert.equal(await codeOf('slow', 'CancelTask', { id }), -32002);
    assert.equal(await codeOf('slow', 'tasks/cancel', { id: crypto.randomUUID() }), -32001);
  });

  it('cancels a task that waits for input, and starts another for a new message in the same context', async () => {
    const { id, contextId } = await taskOf('approval', 'message/send', data({ topic: 'this' }));
    assert.equal((await taskOf('approval', 'tasks/cancel', { id })).status.state, 'canceled');
    const next = await taskOf('approval', 'message/send', data({ topic: 'that' }, { contextId }));
    assert.notEqual(next.id, id);
    assert.match(JSON.stringify(next.status), /Publish that\?/);
    assert.equal((await taskOf('approval', 'tasks/get', { id })).status.state, 'canceled');
  });

  it('lists the tasks of an assistant, page by page, by state and by time', async () => {
    const contextId = crypto.randomUUID();
    const ids: string[] = [];
    for (const value of [1, 2, 3]) {
      ids.unshift((await taskOf('one_node', 'message/send', data({ value }, { contextId }))).id);
    }
    const first = await list('one_node', { contextId, pageSize: 2 });
    assert.deepEqual(
      [first.tasks.map(({ id }) => id), first.totalSize, first.pageSize],
      [ids.slice(0, 2), 3, 2],
    );
    assert.equal('artifacts' in (first.tasks[0] ?? {}), false);
    const named = await list('agent', { historyLength: 1 });
    assert.ok(named.tasks.length > 0);
    assert.ok(named.tasks.every(({ history }) => history?.length === 1));
    const rest = await list('one_node', {
      contextId,
      pageSize: 2,
      pageToken: first.nextPageToken,
      includeArtifacts: true,
    });
    assert.deepEqual([rest.tasks.map(({ id }) => id), rest.nextPageToken], [ids.slice(2), '']);
    assert.match(JSON.stringify(rest.tasks[0]?.artifacts), /"value":2/);
    assert.equal((await list('one_node', {})).tasks[0]?.id, ids[0]);

    const asked = await taskOf('approval', 'message/send', data({ topic: 'it' }));
    const waiting = await list('approval', { status: 'TASK_STATE_INPUT_REQUIRED' });
    assert.equal(waiting.tasks[0]?.id, asked.id);
    assert.equal(waiting.tasks[0]?.status.state, 'TASK_STATE_INPUT_REQUIRED');
    await taskOf('approval', 'message/send', message('yes', { taskId: asked.id }));
    const { contextId: answered } = asked;
    assert.equal((await list('approval', { contextId: answered, status: 'input-required' })).totalSize, 0);
    assert.equal((await list('approval', { contextId: answered })).totalSize, 1);
    assert.equal((await list('approval', { statusTimestampAfter: '2100-01-01T00:00:00Z' })).totalSize, 0);
    for (const wrong of [{ pageSize: 0 }, { pageSize: 101 }, { pageToken: 'x' }, { status: 'lost' }]) {
      assert.equal(await codeOf('approval', 'ListTasks', wrong), -32602);
    }
  });

  it('does not list threads that are not from A2A clients, but reads one that is named', async () => {
    const threadId = crypto.randomUUID();
    const created = await fetch(`${served.url}/threads/${threadId}/runs/wait`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ assistant_id: 'ten_nodes', input: { value: 1 }, if_not_exists: 'create' }),
    });
    assert.equal(created.status, 200);
    assert.equal((await list('ten_nodes', {})).totalSize, 0);
    assert.equal((await list('ten_nodes', { contextId: threadId })).totalSize, 1);
  });

  it('gives files to the graph as blocks of the message, in both versions', async () => {
    const text = { text: 'What is this?' };
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } };
    const page = {
      type: 'file',
      source_type: 'url',
      url: 'https://a.test/page',
      mime_type: 'application/pdf',
      metadata: { filename: 'page.pdf' },
    };
    const sound = { type: 'audio', source_type: 'base64', data: 'aGk=', mime_type: 'audio/wav' };
    const unknown = {
      type: 'file',
      source_type: 'base64',
      data: 'aGk=',
      mime_type: 'application/octet-stream',
    };
    const legacy = [
      { kind: 'text', ...text },
      { kind: 'file', file: { bytes: 'aGk=', mimeType: 'image/png', name: 'a.png' } },
      { kind: 'file', file: { uri: page.url, mimeType: page.mime_type, name: 'page.pdf' } },
      { kind: 'file', file: { bytes: 'aGk=', mimeType: 'audio/wav' } },
      { kind: 'file', file: { bytes: 'aGk=' } },
    ];
    const current = [
      text,
      { raw: 'aGk=', mediaType: 'image/png', filename: 'a.png' },
      { url: page.url, mediaType: page.mime_type, filename: 'page.pdf' },
      { raw: 'aGk=', mediaType: 'audio/wav', filename: '' },
      { raw: 'aGk=' },
    ];
    for (const parts of [legacy, current]) {
      const { contextId } = await taskOf('agent', 'message/send', message('', { parts }));
      const state = await fetch(`${served.url}/threads/${contextId}/state`);
      const { values } = State.parse(await state.json());
      assert.deepEqual(values.messages[0]?.content, [{ type: 'text', ...text }, image, page, sound, unknown]);
    }
  });

  it('streams a task from its beginning to its end, with its messages as they are written', async () => {
    const response = await post('agent', 'message/stream', message('The weather in Paris?'));
    assert.match(response.headers.get('content-type') ?? '', /text\/event-stream/);
    const events = [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(
      ([, event]) => StreamedAnswer.parse(JSON.parse(event ?? '')).result,
    );
    const states = events.flatMap(({ status }) => status?.state ?? []);
    assert.deepEqual(new Set(states.slice(1, -1)), new Set(['working']));
    assert.deepEqual([states[0], states.at(-1)], ['submitted', 'completed']);
    assert.equal(events.at(-1)?.final, true);
    const written = events.flatMap(({ status }) => status?.message ?? []);
    const answer = events.find(({ kind }) => kind === 'artifact-update')?.artifact?.parts[0]?.text ?? '';
    assert.match(answer, /sunny/);
    const last = written.at(-1);
    assert.equal(last?.parts[0]?.text, answer);
    const pieces = written
      .filter(({ messageId }) => messageId === last?.messageId)
      .map(({ parts }) => parts[0]?.text ?? '');
    for (const piece of pieces) assert.ok(answer.startsWith(piece), piece);
    assert.deepEqual(
      pieces,
      [...new Set(pieces)].sort((a, b) => a.length - b.length),
    );
  });

  it('follows a task again from where it is to its end', async () => {
    const { id } = await begin();
    const response = await post('slow', 'SubscribeToTask', { id });
    const canceled = taskOf('slow', 'tasks/cancel', { id });
    const events = await response.text();
    assert.equal((await canceled).status.state, 'canceled');
    const states = [...events.matchAll(/"state":"(\w+)"/g)].map(([, state]) => state);
    assert.match(states[0] ?? '', /^TASK_STATE_(?:SUBMITTED|WORKING)$/);
    assert.deepEqual(states.slice(1), ['TASK_STATE_CANCELED']);
    const again = await post('slow', 'SubscribeToTask', { id });
    assert.equal(Answer.parse(await again.json()).error?.code, -32004);
    // Clients of this older method read only events.
    const legacy = await post('slow', 'tasks/resubscribe', { id });
    assert.match(await legacy.text(), /^event: message\ndata: .*"code":-32004/);

    const asked = await taskOf('approval', 'message/send', data({ topic: 'it' }));
    const waiting = await post('approval', 'tasks/resubscribe', { id: asked.id });
    assert.match(await waiting.text(), /"state":"input-required"/);
  });

  it('reports what is wrong with a request in an answer with status 200', async () => {
    const wrong: [number, string, object][] = [
      [-32602, 'message/send', {}],
      [-32602, 'message/send', message('x', { messageId: undefined })],
      [-32602, 'message/send', message('x', { role: 'system' })],
      [-32602, 'message/send', message('x', { parts: [] })],
      [-32602, 'message/send', message('x', { parts: [{ kind: 'nope' }] })],
      [-32602, 'message/send', message('x', { parts: [{ kind: 'text' }] })],
      [-32602, 'message/send', message('x', { parts: [{ metadata: {} }] })],
      [-32602, 'message/send', message('x', { parts: [{ data: [1] }] })],
      [-32602, 'message/send', message('x', { parts: [{ kind: 'file' }] })],
      [-32602, 'message/send', message('x', { parts: [{ kind: 'file', file: { name: 'a.png' } }] })],
      [-32602, 'SendMessage', message('x', { parts: [{ url: 'no address' }] })],
      [-32602, 'SendMessage', message('x', { parts: [{ raw: 'aGk=', url: 'https://a.test' }] })],
      [
        -32003,
        'SendMessage',
        { ...message('x'), configuration: { taskPushNotificationConfig: { url: 'x' } } },
      ],
      [-32602, 'tasks/get', {}],
      [-32602, 'tasks/cancel', {}],
      [-32001, 'tasks/get', { id: crypto.randomUUID() }],
      [-32001, 'tasks/get', { id: 'x' }],
      [-32003, 'CreateTaskPushNotificationConfig', {}],
      [-32003, 'GetTaskPushNotificationConfig', {}],
      [-32003, 'ListTaskPushNotificationConfigs', {}],
      [-32003, 'DeleteTaskPushNotificationConfig', {}],
      [-32003, 'tasks/pushNotificationConfig/set', {}],
      [-32004, 'GetExtendedAgentCard', {}],
      [-32007, 'agent/getAuthenticatedExtendedCard', {}],
      [-32601, 'nothing', {}],
      [-32601, 'toString', {}],
    ];
    for (const [code, method, params] of wrong) {
      const response = await post('agent', method, params);
      const { error } = Answer.parse(await response.json());
      assert.deepEqual([response.status, error?.code], [200, code], `${method}: ${error?.message}`);
    }
    const raw = async (body: string) => {
      const response = await fetch(`${served.url}/a2a/agent`, { method: 'POST', body });
      return [response.status, Answer.parse(await response.json()).error?.code];
    };
    assert.deepEqual(await raw('{'), [200, -32700]);
    assert.deepEqual(await raw('{"jsonrpc":"2.0","id":1,"params":{}}'), [200, -32600]);
    const tooNew = await post('agent', 'SendMessage', message('x'), { 'a2a-version': '2.0' });
    assert.equal(Answer.parse(await tooNew.json()).error?.code, -32009);
    assert.equal((await post('nobody', 'message/send', message('x'))).status, 404);
  });
});
