import assert from 'node:assert/strict';
import { createParser } from 'eventsource-parser';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { ProtocolEvent } from '../../../../src/contract/agent-server/protocol.ts';
import { type ServedProject, serveProject } from '../../../support/served-project.ts';
import { eventually } from '../../../support/wait.ts';

const Answer = z.looseObject({
  type: z.string(),
  id: z.int().nullish(),
  error: z.string().optional(),
  result: z.looseObject({ subscription_id: z.string().optional() }).optional(),
});

const History = z.array(z.looseObject({ checkpoint: z.looseObject({ checkpoint_id: z.string() }) }));

describe('the v2 streaming protocol, without an SDK', function () {
  this.timeout(60_000);
  let served: ServedProject;
  before(async () => {
    served = await serveProject();
  });
  after(() => served[Symbol.asyncDispose]());

  async function command(
    threadId: string,
    body: unknown,
  ): Promise<[status: number, answer: z.output<typeof Answer>]> {
    const response = await fetch(`${served.url}/threads/${threadId}/commands`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return [response.status, Answer.parse(await response.json())];
  }

  async function ran(assistant_id: string, input: object): Promise<string> {
    const threadId = crypto.randomUUID();
    const [, answer] = await command(threadId, {
      id: 1,
      method: 'run.start',
      params: { assistant_id, input },
    });
    assert.equal(answer.type, 'success');
    return threadId;
  }

  async function readThread(threadId: string): Promise<z.output<typeof Thread>> {
    const response = await fetch(`${served.url}/threads/${threadId}`);
    return Thread.parse(await response.json());
  }

  /** Events up to the end of the root graph. */
  async function events(threadId: string, filter: object): Promise<ProtocolEvent[]> {
    const controller = new AbortController();
    const response = await fetch(`${served.url}/threads/${threadId}/stream/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(filter),
      signal: controller.signal,
    });
    assert.equal(response.status, 200);
    const seen: ProtocolEvent[] = [];
    const parser = createParser({
      onEvent: ({ id, event, data }) => {
        const parsed = ProtocolEvent.parse(JSON.parse(data));
        assert.deepEqual([id, event], [String(parsed.seq), parsed.method]);
        seen.push(parsed);
      },
    });
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      parser.feed(decoder.decode(chunk, { stream: true }));
      const last = seen.at(-1);
      if (last?.method === 'lifecycle' && last.params.namespace.length === 0 && isTerminal(last.params.data))
        break;
    }
    controller.abort();
    return seen;
  }

  it('numbers events so that a reader continues strictly after its last one', async () => {
    const threadId = await ran('ten_nodes', { value: 0 });
    const all = await events(threadId, { channels: ['values', 'updates', 'lifecycle'] });
    const numbers = all.map(({ seq }) => seq);
    assert.deepEqual(
      numbers,
      [...new Set(numbers)].sort((a, b) => a - b),
    );
    const middle = all[5]?.seq ?? 0;
    const rest = await events(threadId, { channels: ['values', 'updates', 'lifecycle'], since: middle });
    assert.deepEqual(
      rest.map(({ seq }) => seq),
      numbers.filter((number) => number > middle),
    );
  });

  it('gives events their own times, the same to every reader', async () => {
    const threadId = crypto.randomUUID();
    const began = Date.now();
    const filter = { channels: ['values', 'tasks', 'custom', 'lifecycle'] };
    const following = events(threadId, filter);
    const params = { assistant_id: 'ten_nodes', input: { value: 0 } };
    await command(threadId, { id: 1, method: 'run.start', params });
    const live = await following;
    const ended = Date.now();
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(await events(threadId, filter), live);
    const times = live.map((event) => event.params.timestamp);
    assert.deepEqual(
      [began, ...times, ended],
      [began, ...times, ended].toSorted((a, b) => a - b),
    );
  });

  it('lets a reader subscribe before the first run creates the thread', async () => {
    const threadId = crypto.randomUUID();
    const following = events(threadId, { channels: ['values', 'lifecycle'] });
    await new Promise((resolve) => setTimeout(resolve, 300));
    const [, answer] = await command(threadId, {
      id: 1,
      method: 'run.start',
      params: { assistant_id: 'one_node', input: { value: 1 } },
    });
    assert.equal(answer.type, 'success');
    const seen = await following;
    assert.ok(
      seen.some(({ method, params }) => method === 'values' && JSON.stringify(params.data).includes('2')),
    );
  });

  it('sends only the requested channels, namespaces and depths', async () => {
    const threadId = await ran('nested', { topic: 'it' });
    const root = await events(threadId, { channels: ['updates', 'lifecycle'], namespaces: [[]], depth: 0 });
    assert.ok(root.length > 0);
    assert.ok(root.every(({ params }) => params.namespace.length === 0));
    const child = await events(threadId, { channels: ['lifecycle', 'input'] });
    assert.ok(child.some(({ params }) => params.namespace[0]?.startsWith('child:')));
    assert.ok(child.some(({ method }) => method === 'input.requested'));
    assert.ok(child.every(({ method }) => method !== 'updates'));
  });

  it('answers malformed commands with 400 and failed ones with an error', async () => {
    const threadId = crypto.randomUUID();
    assert.deepEqual((await command(threadId, { id: -1 }))[0], 400);
    const [status, unknown] = await command(threadId, { id: 1, method: 'nothing.known' });
    assert.deepEqual([status, unknown.error], [200, 'unknown_command']);
    const start = { id: 1, method: 'run.start', params: { assistant_id: 'nobody', input: {} } };
    assert.equal((await command(threadId, start))[1].error, 'invalid_argument');
    const subscribe = { id: 1, method: 'subscription.subscribe', params: { channels: ['values'] } };
    assert.equal((await command(threadId, subscribe))[1].error, 'not_supported');
  });

  it('treats an injected message as the next input', async () => {
    const threadId = crypto.randomUUID();
    const inject = {
      id: 2,
      method: 'input.inject',
      params: { namespace: [], message: { role: 'user', content: 'And in Rome?' } },
    };
    assert.equal((await command(threadId, inject))[1].error, 'no_such_run');
    const input = { messages: [{ role: 'user', content: 'How is the weather in Paris?' }] };
    await command(threadId, { id: 1, method: 'run.start', params: { assistant_id: 'agent', input } });
    assert.equal((await command(threadId, inject))[1].type, 'success');
    const asked = await eventually(
      'both were answered',
      async () => {
        return readThread(threadId);
      },
      ({ status, values }) => status === 'idle' && said(values).includes('And in Rome?'),
    );
    assert.deepEqual(
      said(asked.values).filter((text) => text.endsWith('?') && !text.startsWith('You said')),
      ['How is the weather in Paris?', 'And in Rome?'],
    );
  });

  it('takes the input of an interrupted thread as its answer', async () => {
    const threadId = await ran('approval', { topic: 'it' });
    await events(threadId, { channels: ['lifecycle'] });
    const start = { assistant_id: 'approval', input: 'yes' };
    const [, answer] = await command(threadId, { id: 2, method: 'run.start', params: start });
    assert.equal(answer.type, 'success');
    const seen = await events(threadId, { channels: ['lifecycle', 'input'] });
    assert.deepEqual(seen.at(-1)?.params.data, { event: 'completed', graph_name: 'approval' });
    const { values } = await readThread(threadId);
    assert.deepEqual(values, { topic: 'it', answers: ['draft of it', 'yes', 'published'] });
  });

  it('accepts an answer that arrives before the run that asked has ended', async () => {
    const threadId = crypto.randomUUID();
    const { socket, events, send } = await openSocket(threadId);
    await send(1, 'subscription.subscribe', { channels: ['input', 'lifecycle'] });
    socket.on('message', (data) => {
      if (!String(data).includes('"input.requested"')) return;
      const params = { assistant_id: 'approval', input: 'yes' };
      socket.send(JSON.stringify({ id: 3, method: 'run.start', params }));
    });
    await send(2, 'run.start', { assistant_id: 'approval', input: { topic: 'it' } });
    await eventually('the end', () =>
      events().find(({ params }) => JSON.stringify(params.data).includes('"completed"')),
    );
    socket.close();
    const { values } = await readThread(threadId);
    assert.deepEqual(values, { topic: 'it', answers: ['draft of it', 'yes', 'published'] });
  });

  it('starts over from a checkpoint on an interrupted thread, and asks again without input', async () => {
    const threadId = await ran('approval', { topic: 'it' });
    await events(threadId, { channels: ['lifecycle'] });
    const params = { assistant_id: 'approval' };
    await command(threadId, { id: 2, method: 'run.start', params });
    await events(threadId, { channels: ['lifecycle'] });
    assert.equal((await readThread(threadId)).status, 'interrupted');
    const state = await fetch(`${served.url}/threads/${threadId}/history`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ limit: 10 }),
    });
    const first = History.parse(await state.json()).at(-1);
    const config = { configurable: { checkpoint_id: first?.checkpoint.checkpoint_id } };
    const fork = { ...params, input: { topic: 'another' }, config };
    await command(threadId, { id: 3, method: 'run.start', params: fork });
    const again = await events(threadId, { channels: ['lifecycle', 'input'] });
    const asked = again.find(({ method }) => method === 'input.requested');
    assert.match(JSON.stringify(asked?.params.data), /Publish another\?/);
  });

  it('refuses a strict resume of an unknown interrupt', async () => {
    const threadId = await ran('approval', { topic: 'it' });
    await events(threadId, { channels: ['lifecycle'] });
    const body = {
      assistant_id: 'approval',
      command: { resume: { '0123456789abcdef0123456789abcdef': 'yes' } },
    };
    const resume = async (strict_resume: boolean) => {
      const response = await fetch(`${served.url}/threads/${threadId}/runs/wait`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, strict_resume }),
      });
      return JSON.stringify(await response.json());
    };
    assert.match(await resume(true), /__error__/);
    assert.doesNotMatch(await resume(false), /__error__/);
  });

  it('sends the trace of a run to the project in its request', async () => {
    const response = await fetch(`${served.url}/runs/wait`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        assistant_id: 'one_node',
        input: { value: 1 },
        langsmith_tracer: { project_name: 'elsewhere' },
      }),
    });
    assert.deepEqual(await response.json(), { value: 2 });
    const sessions = await eventually(
      'the project is there',
      async () => {
        const found = await fetch(`${served.platformUrl}/api/v1/sessions?name=elsewhere`, {
          headers: { 'x-api-key': served.apiKey },
        });
        return z.array(z.looseObject({ name: z.string() })).parse(await found.json());
      },
      (found) => found.length === 1,
    );
    assert.equal(sessions[0]?.name, 'elsewhere');
  });

  it('lets no page of another origin open a WebSocket', async () => {
    const url = `${served.url.replace('http', 'ws')}/threads/${crypto.randomUUID()}/stream/events`;
    const refused = await new Promise<number | undefined>((resolve) => {
      const socket = new WebSocket(url, { origin: 'https://evil.example' });
      socket.once('unexpected-response', (_, response) => resolve(response.statusCode));
      socket.once('open', () => resolve(101));
      socket.once('error', () => {});
    });
    assert.equal(refused, 403);
  });

  /**
   * A thread's WebSocket, with all messages that it has received; `send` waits for the response to a command.
   */
  async function openSocket(threadId: string) {
    const socket = new WebSocket(`${served.url.replace('http', 'ws')}/threads/${threadId}/stream/events`);
    const messages: z.output<typeof Answer>[] = [];
    socket.on('message', (data) => messages.push(Answer.parse(JSON.parse(String(data)))));
    await new Promise((resolve) => socket.once('open', resolve));
    const send = async (id: number, method: string, params: object) => {
      socket.send(JSON.stringify({ id, method, params }));
      return eventually('the answer', () => messages.find((message) => message.id === id));
    };
    const events = () =>
      messages.filter(({ type }) => type === 'event').map((message) => ProtocolEvent.parse(message));
    return { socket, messages, events, send };
  }

  it('sends the events of all subscriptions of a WebSocket in order', async () => {
    const threadId = crypto.randomUUID();
    const { socket, events, send } = await openSocket(threadId);
    await send(1, 'subscription.subscribe', { channels: ['lifecycle'] });
    await send(2, 'subscription.subscribe', { channels: ['custom'] });
    await send(3, 'subscription.subscribe', { channels: ['custom', 'values'] });
    await send(4, 'run.start', { assistant_id: 'custom_events', input: { count: 3_000 } });
    const ends = () =>
      events().filter(
        ({ method, params }) =>
          method === 'lifecycle' && params.namespace.length === 0 && isTerminal(params.data),
      );
    await eventually('the end of the run', () => ends().length === 1);
    const sequence = events().map(({ seq }) => seq);
    assert.equal(events().filter(({ method }) => method === 'custom').length, 3_000, 'each of them once');
    assert.deepEqual(
      sequence,
      sequence.toSorted((a, b) => a - b),
    );

    const before = events().length;
    const fifth = await send(5, 'subscription.subscribe', { channels: ['custom', 'checkpoints'] });
    assert.equal(fifth?.result?.replayed_events, events().length - before);
    assert.ok(events().length >= before + 3_000, 'what came before it has come when it is answered');
    await send(6, 'run.start', { assistant_id: 'custom_events', input: { count: 3 } });
    await eventually('the end of another run', () => ends().length === 2);
    const after = events().slice(before);
    const replayed = after.filter(({ seq }) => seq <= (sequence.at(-1) ?? 0));
    assert.ok(replayed.every(({ method }) => method === 'custom' || method === 'checkpoints'));
    assert.deepEqual(
      after.map(({ seq }) => seq),
      after.map(({ seq }) => seq).toSorted((a, b) => a - b),
    );
    socket.close();
  });

  it('sends nothing after an unsubscribe', async () => {
    const threadId = await ran('one_node', { value: 1 });
    const { socket, messages, send } = await openSocket(threadId);
    const subscribed = await send(1, 'subscription.subscribe', { channels: ['values'] });
    const subscription_id = subscribed?.result?.subscription_id;
    assert.equal((await send(2, 'subscription.unsubscribe', { subscription_id }))?.type, 'success');
    const again = await send(3, 'subscription.unsubscribe', { subscription_id });
    assert.equal(again?.error, 'no_such_subscription');
    const before = messages.length;
    await send(4, 'run.start', { assistant_id: 'one_node', input: { value: 1 } });
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(messages.length, before + 1);
    socket.close();
  });
});

const Thread = z.looseObject({
  status: z.string(),
  values: z.looseObject({ messages: z.array(z.looseObject({ content: z.unknown() })).optional() }).nullable(),
});

function said(values: z.output<typeof Thread>['values']): string[] {
  return (values?.messages ?? []).map(({ content }) => String(content));
}

function isTerminal(data: unknown): boolean {
  const event = z.looseObject({ event: z.string() }).safeParse(data).data?.event ?? '';
  return ['completed', 'failed', 'interrupted'].includes(event);
}
