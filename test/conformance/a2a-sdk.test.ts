import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { installOnce, npm } from '../support/cache.ts';
import { interpreterIn, makeEnvironment, withPython } from '../support/python-environments.ts';
import { type ServedProject, serveProject } from '../support/served-project.ts';
import { patience } from '../support/wait.ts';
import { all } from './real-sdk.ts';

const run = promisify(execFile);

/** The official SDK of A2A 1.x, and the last one of 0.3. */
const VERSIONS = ['1.3.0', '0.3.14'] as const;

/** The official one for Python, and what its client imports. */
const PYTHON_SDK = `a2a-sdk==1.3.0
aiologic==0.17.1
annotated-types==0.8.0
anyio==4.16.0
certifi==2026.10.19.post1
culsans==0.11.0
googleapis-common-protos==1.76.0
h11==0.16.0
httpcore==1.0.9
httpx==0.28.1
idna==3.20
json-rpc==1.15.0
packaging==26.4
protobuf==7.36.2
pydantic==2.14.4
pydantic_core==2.50.5
sniffio==1.3.1
typing-inspection==0.4.5
typing_extensions==4.16.0
wrapt==2.5.2
`;

interface A2aClient {
  sendMessage(request: object): Promise<unknown>;
  sendMessageStream(request: object): AsyncIterable<unknown>;
  resubscribeTask(request: object): AsyncGenerator<unknown>;
  getTask(request: object): Promise<unknown>;
  cancelTask(request: object): Promise<unknown>;
  /** Only in version 1. */
  listTasks(request: object): Promise<unknown>;
}

const Factory = z.object({
  ClientFactory: z.custom<new () => { createFromUrl(base: string, card: string): Promise<A2aClient> }>(),
});

/** A client of the given version, as its users make one. */
async function connect(version: (typeof VERSIONS)[number], base: string, card: string): Promise<A2aClient> {
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

describe("A2A's own SDKs", function () {
  this.timeout(120_000);
  let served: ServedProject;
  before(async () => {
    served = await serveProject();
  });
  after(() => served[Symbol.asyncDispose]());

  const CARD = '/.well-known/agent-card.json?assistant_id=';

  it('in JavaScript send messages, answer interrupts, stream and read tasks', async () => {
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
    // One says that it works, and others what it has written so far.
    const written = events.slice(1, -2).map(() => 'statusUpdate');
    assert.ok(written.length > 1);
    assert.deepEqual(
      events.map(({ $case }) => $case),
      ['task', ...written, 'artifactUpdate', 'statusUpdate'],
    );
    const last = z.looseObject({ status: z.looseObject({ state: z.int() }) }).parse(events.at(-1)?.value);
    assert.equal(last.status.state, 3);

    const approval = await connect(VERSIONS[0], served.url, `${CARD}approval`);
    const data = {
      message: { role: 1, messageId: 'm', parts: [{ content: { $case: 'data', value: { topic: 'it' } } }] },
    };
    const asked = Task.parse(await approval.sendMessage(data));
    assert.equal(asked.status.state, 6);
    const answer = message('yes', { contextId: asked.contextId, taskId: asked.id });
    const done = Task.parse(await approval.sendMessage(answer));
    assert.deepEqual([done.status.state, done.id], [3, asked.id]);
    await assert.rejects(approval.sendMessage(answer), { name: 'UnsupportedOperationError' });
    await assert.rejects(client.getTask({ id: crypto.randomUUID() }), /Task '.*' not found/);
  });

  it('in JavaScript follow a task again, list and cancel it', async () => {
    const client = await connect(VERSIONS[0], served.url, `${CARD}slow`);
    const request = {
      message: {
        role: 1,
        messageId: 'm',
        parts: [{ content: { $case: 'data', value: { ms: 600_000 } } }],
      },
      configuration: { returnImmediately: true, acceptedOutputModes: [] },
    };
    const Task = z.looseObject({ id: z.string(), contextId: z.string() });
    const { id, contextId } = Task.parse(await client.sendMessage(request));
    const events = client.resubscribeTask({ id });
    const Event = z.looseObject({
      payload: z.looseObject({
        $case: z.string(),
        value: z.looseObject({ status: z.looseObject({ state: z.int() }) }),
      }),
    });
    const first = Event.parse((await events.next()).value).payload;
    assert.equal(first.$case, 'task');
    const List = z.looseObject({ tasks: z.array(Task), nextPageToken: z.string(), totalSize: z.int() });
    const listed = List.parse(await client.listTasks({ contextId, status: 0, pageToken: '' }));
    assert.deepEqual(
      [listed.tasks.map((task) => task.id), listed.nextPageToken, listed.totalSize],
      [[id], '', 1],
    );
    await client.cancelTask({ id });
    const rest = (await all(events)).map((event) => Event.parse(event).payload);
    assert.deepEqual(
      rest.map(({ $case, value }) => [$case, value.status.state]),
      [['statusUpdate', 5]],
    );
    await assert.rejects(client.cancelTask({ id }), { name: 'TaskNotCancelableError' });
    await assert.rejects(all(client.resubscribeTask({ id })), { name: 'UnsupportedOperationError' });
  });

  it('of version 0.3 work too', async () => {
    const client = await connect(VERSIONS[1], served.url, `${CARD}agent`);
    const message = {
      kind: 'message',
      role: 'user',
      messageId: 'm',
      parts: [{ kind: 'text', text: 'Hello' }],
    };
    const Task = z.looseObject({ id: z.string(), status: z.looseObject({ state: z.string() }) });
    assert.equal(Task.parse(await client.sendMessage({ message })).status.state, 'completed');
    const Event = z.looseObject({ kind: z.string() });
    const kinds = async (events: AsyncIterable<unknown>) =>
      (await all(events)).map((event) => Event.parse(event).kind);
    const streamed = await kinds(client.sendMessageStream({ message }));
    assert.deepEqual(new Set(streamed.slice(1, -2)), new Set(['status-update']));
    assert.deepEqual([streamed[0], ...streamed.slice(-2)], ['task', 'artifact-update', 'status-update']);

    const slow = await connect(VERSIONS[1], served.url, `${CARD}slow`);
    const begin = { ...message, parts: [{ kind: 'data', data: { ms: 600_000 } }] };
    const { id } = Task.parse(await slow.sendMessage({ message: begin, configuration: { blocking: false } }));
    const events = slow.resubscribeTask({ id });
    assert.equal(Event.parse((await events.next()).value).kind, 'task');
    assert.equal(Task.parse(await slow.cancelTask({ id })).status.state, 'canceled');
    assert.deepEqual(await kinds(events), ['status-update']);
    await assert.rejects(slow.cancelTask({ id }), /cannot be canceled/);
    await assert.rejects(all(slow.resubscribeTask({ id })), /has ended: it is canceled/);
    await assert.rejects(all(slow.sendMessageStream({ message: { ...message, taskId: id } })), /has ended/);
  });

  it('in Python do the same', async function () {
    const python = await withPython(this, async () =>
      interpreterIn(await makeEnvironment('python-a2a', PYTHON_SDK)),
    );
    const script = path.join(import.meta.dirname, 'python_a2a.py');
    const { stderr } = await run(python, ['-W', 'ignore', script, '-v'], {
      env: { ...process.env, AGENT_URL: served.url },
      timeout: 100_000 * patience,
    }).catch((error: { stderr?: string }) => ({ stderr: error.stderr ?? String(error) }));
    assert.match(stderr, /\nOK\s*$/, stderr);
  });
});
