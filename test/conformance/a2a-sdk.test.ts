import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { installOnce, npm } from '../support/cache.ts';
import { type ServedProject, serveProject } from '../support/served-project.ts';
import { all } from './real-sdk.ts';

/** The official SDK of A2A 1.x, and the last one of 0.3. */
const VERSIONS = ['1.3.0', '0.3.14'] as const;

interface A2aClient {
  sendMessage(request: object): Promise<unknown>;
  sendMessageStream(request: object): AsyncIterable<unknown>;
  getTask(request: object): Promise<unknown>;
}

const Factory = z.object({
  ClientFactory: z.custom<new () => { createFromUrl(base: string, card: string): Promise<A2aClient> }>(),
});

/** A client of the given version, as its users make one. */
async function connect(version: string, base: string, card: string): Promise<A2aClient> {
  const { folder } = await installOnce({
    name: 'a2a-sdk',
    versions: { sdk: version },
    install: async (target) => {
      await writeFile(
        path.join(target, 'package.json'),
        JSON.stringify({ private: true, dependencies: { '@a2a-js/sdk': version } }),
      );
      await npm(['install', '--legacy-peer-deps'], target);
      return {};
    },
  });
  const file = createRequire(path.join(folder, 'index.js')).resolve('@a2a-js/sdk/client');
  const { ClientFactory } = Factory.parse(await import(pathToFileURL(file).href));
  return new ClientFactory().createFromUrl(base, card);
}

describe("A2A's own SDK", function () {
  this.timeout(120_000);
  let served: ServedProject;
  before(async () => {
    served = await serveProject();
  });
  after(() => served[Symbol.asyncDispose]());

  const CARD = '/.well-known/agent-card.json?assistant_id=';

  it('of version 1 sends messages, answers interrupts, streams and reads tasks', async () => {
    const client = await connect(VERSIONS[0], served.url, `${CARD}agent`);
    const message = (text: string, more: object = {}) => ({
      message: {
        role: 1,
        messageId: crypto.randomUUID(),
        parts: [{ content: { $case: 'text', value: text } }],
        ...more,
      },
    });
    const Task = z.looseObject({
      id: z.string(),
      contextId: z.string(),
      status: z.looseObject({ state: z.int() }),
      artifacts: z.array(
        z.looseObject({ parts: z.array(z.looseObject({ content: z.looseObject({ value: z.unknown() }) })) }),
      ),
      history: z.array(z.looseObject({ role: z.int() })),
    });
    const task = Task.parse(await client.sendMessage(message('The weather in Paris?')));
    assert.equal(task.status.state, 3);
    assert.match(String(task.artifacts[0]?.parts[0]?.content.value), /sunny/);
    const { id, contextId } = task;
    const read = Task.parse(await client.getTask({ id, contextId, historyLength: 2 }));
    assert.equal(read.id, id);
    assert.deepEqual([read.history.length, read.history.at(-1)?.role], [2, 2]);

    const Payload = z.looseObject({
      payload: z.looseObject({ $case: z.string(), value: z.looseObject({}) }),
    });
    const events = (await all(client.sendMessageStream(message('Thanks', { contextId })))).map(
      (event) => Payload.parse(event).payload,
    );
    assert.deepEqual(
      events.map(({ $case }) => $case),
      ['task', 'statusUpdate', 'artifactUpdate', 'statusUpdate'],
    );
    const last = z.looseObject({ status: z.looseObject({ state: z.int() }) }).parse(events.at(-1)?.value);
    assert.equal(last.status.state, 3);

    const approval = await connect(VERSIONS[0], served.url, `${CARD}approval`);
    const data = {
      message: { role: 1, messageId: 'm', parts: [{ content: { $case: 'data', value: { topic: 'it' } } }] },
    };
    const asked = Task.parse(await approval.sendMessage(data));
    assert.equal(asked.status.state, 6);
    const done = Task.parse(await approval.sendMessage(message('yes', { contextId: asked.contextId })));
    assert.equal(done.status.state, 3);
    await assert.rejects(client.getTask({ id: crypto.randomUUID() }), /Task '.*' not found/);
    const unknown = await fetch(`${served.url}/a2a/agent`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '2.0' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: message('x') }),
    });
    assert.match(await unknown.text(), /-32009.*Use 1\.0 or 0\.3/);
  });

  it('of version 0.3 works too', async () => {
    const client = await connect(VERSIONS[1], served.url, `${CARD}agent`);
    const message = {
      kind: 'message',
      role: 'user',
      messageId: 'm',
      parts: [{ kind: 'text', text: 'Hello' }],
    };
    const task = z.looseObject({ kind: z.string(), status: z.looseObject({ state: z.string() }) });
    assert.equal(task.parse(await client.sendMessage({ message })).status.state, 'completed');
    const Event = z.looseObject({ kind: z.string() });
    const events = (await all(client.sendMessageStream({ message }))).map((event) => Event.parse(event).kind);
    assert.deepEqual(events, ['task', 'status-update', 'artifact-update', 'status-update']);
  });
});
