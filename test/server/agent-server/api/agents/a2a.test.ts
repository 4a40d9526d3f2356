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
const Answer = z.looseObject({
  id: z.union([z.string(), z.number()]).nullable(),
  result: z.unknown().optional(),
  error: z.looseObject({ code: z.int(), message: z.string() }).optional(),
});

describe('A2A', function () {
  this.timeout(60_000);
  let served: ServedProject;
  before(async () => {
    served = await serveProject();
  });
  after(() => served[Symbol.asyncDispose]());

  const post = (assistant: string, method: string, params: object) =>
    fetch(`${served.url}/a2a/${assistant}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: '1', method, params }),
    });
  const call = async (assistant: string, method: string, params: object) =>
    Answer.parse(await (await post(assistant, method, params)).json());
  const message = (text: string, more: object = {}) => ({
    message: { role: 'user', parts: [{ kind: 'text', text }], messageId: crypto.randomUUID(), ...more },
  });

  it('describes an assistant in a card', async () => {
    for (const path of [
      '/a2a/agent/.well-known/agent-card.json',
      '/.well-known/agent-card.json?assistant_id=agent',
    ]) {
      const card: unknown = await (await fetch(`${served.url}${path}`)).json();
      const { name, url } = z.looseObject({ name: z.string(), url: z.string() }).parse(card);
      assert.equal(name, 'agent');
      assert.match(url, /\/a2a\/fe096781-/);
    }
  });

  it('answers a message with a task whose context can be continued', async () => {
    const first = Task.parse((await call('agent', 'message/send', message('The weather in Paris?'))).result);
    assert.equal(first.status.state, 'completed');
    assert.match(first.artifacts?.[0]?.parts[0]?.text ?? '', /sunny/);
    const { contextId } = first;
    const second = Task.parse((await call('agent', 'message/send', message('Thanks', { contextId }))).result);
    assert.equal(second.contextId, contextId);
    const query = { id: second.id, contextId, historyLength: 2 };
    assert.equal(Task.parse((await call('agent', 'tasks/get', query)).result).history?.length, 2);
  });

  it('requires input when the graph interrupts, and continues with the answer', async () => {
    const data = { message: { role: 'user', parts: [{ kind: 'data', data: { topic: 'it' } }] } };
    const asked = Task.parse((await call('approval', 'message/send', data)).result);
    assert.equal(asked.status.state, 'input-required');
    const { contextId } = asked;
    const done = Task.parse((await call('approval', 'message/send', message('yes', { contextId }))).result);
    assert.equal(done.status.state, 'completed');
  });

  it('streams a task from its beginning to its end', async () => {
    const response = await post('agent', 'message/stream', message('Hello'));
    assert.match(response.headers.get('content-type') ?? '', /text\/event-stream/);
    const states = [...(await response.text()).matchAll(/"state":"([\w-]+)"/g)].map(([, state]) => state);
    assert.deepEqual(states, ['submitted', 'working', 'completed']);
  });

  it('reports what is wrong with a request', async () => {
    assert.equal((await call('agent', 'message/send', {})).error?.code, -32602);
    assert.equal((await call('agent', 'tasks/get', { id: crypto.randomUUID() })).error?.code, -32001);
    assert.equal((await call('agent', 'tasks/cancel', { id: 'x' })).error?.code, -32002);
    assert.equal((await call('agent', 'nothing', {})).error?.code, -32601);
    assert.equal((await post('agent', 'message/send', {})).status, 400);
    const broken = await fetch(`${served.url}/a2a/agent`, { method: 'POST', body: '{' });
    assert.equal(broken.status, 400);
    assert.equal(Answer.parse(await broken.json()).error?.code, -32700);
    assert.equal((await post('nobody', 'message/send', message('x'))).status, 404);
  });
});
