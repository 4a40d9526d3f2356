import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { JsonObject } from '../../../../src/contract/fields.ts';
import type { AuthCaller, UserAnswer, UserRequest } from '../../../support/auth-caller.ts';
import type { HandlerScript } from '../../../support/scripted-auth.ts';

/** Ann's resources on a server. Most kinds come in pairs, so that handlers can redirect from one to the other. */
export interface Scene {
  readonly caller: AuthCaller;
  readonly thread: string;
  readonly otherThread: string;
  readonly run: string;
  readonly otherRun: string;
  /** A run of the first thread that was answered from its recording. */
  readonly replay: string;
  readonly checkpoint: string;
  readonly assistant: string;
  /** The assistant of the graph `ten_nodes`. */
  readonly otherAssistant: string;
  readonly cron: string;
  readonly otherCron: string;
}

/** A request of Ann's, a handler's change to it, and the proof that the change took effect. */
export interface Change {
  readonly request: UserRequest;
  /** The event of the handler; any event when absent. */
  readonly event?: string;
  readonly script: HandlerScript;
  seen(answer: UserAnswer): void | Promise<void>;
}

export type ChangeOf = ((scene: Scene) => Change | Promise<Change>) | 'no such field';

/**
 * How an endpoint follows the decisions of handlers. The expected values are those of the public documentation:
 * https://docs.langchain.com/langsmith/auth (handlers refuse, return filters, change the value),
 * https://docs.langchain.com/langsmith/store-auth (handlers of the store change the namespace, and return no filters),
 * https://reference.langchain.com/python/langgraph-sdk/auth/types (the fields of each event's value).
 */
export interface Expectation {
  /** The events for which handlers are called, in order. */
  readonly asks: readonly string[];
  request(scene: Scene): UserRequest | Promise<UserRequest>;
  /** The answer when handlers refuse: the status, or the text of a JSON-RPC answer. */
  readonly refused: number | RegExp;
  /**
   * The response to another user whose handlers return filters: not found, none of Ann's resources, a new resource
   * of that user, or the same as for Ann, because filters do not apply.
   */
  readonly filtered: 'hidden' | 'limited' | 'owned' | 'same' | RegExp;
  readonly rewrite: ChangeOf;
  readonly add: ChangeOf;
  readonly strip: ChangeOf;
}

const NONE = 'no such field' as const;
const RUN = { assistant_id: 'one_node', input: { value: 1 } };
const Ids = z.array(z.looseObject({ thread_id: z.string().optional(), run_id: z.string().optional() }));

const get = (path: string): UserRequest => ({ method: 'GET', path });
const post = (path: string, body: unknown = {}): UserRequest => ({ method: 'POST', path, body });

/** Creates a thread of Ann's, with a finished run if `body` is given. */
export async function newThread({ caller }: Pick<Scene, 'caller'>, body: object = {}): Promise<string> {
  const { thread_id } = await caller.must('ann', post('/threads', { metadata: { owner: 'ann' }, ...body }));
  return String(thread_id);
}

async function threadWithRun(scene: Pick<Scene, 'caller'>, run: object = RUN): Promise<string> {
  const thread = await newThread(scene);
  const ended = await scene.caller.must('ann', post(`/threads/${thread}/runs/wait`, run));
  assert.equal(ended.__error__, undefined);
  return thread;
}

export async function newAssistant({ caller }: Pick<Scene, 'caller'>, body: object = {}): Promise<string> {
  const made = { graph_id: 'one_node', name: 'first', metadata: { owner: 'ann' }, ...body };
  const { assistant_id } = await caller.must('ann', post('/assistants', made));
  await caller.must('ann', {
    method: 'PATCH',
    path: `/assistants/${assistant_id}`,
    body: { name: 'second' },
  });
  return String(assistant_id);
}

export async function newCron({ caller }: Pick<Scene, 'caller'>): Promise<string> {
  const body = { ...RUN, schedule: '0 0 1 1 *', metadata: { owner: 'ann' } };
  return String((await caller.must('ann', post('/runs/crons', body))).cron_id);
}

export async function makeScene(caller: AuthCaller): Promise<Scene> {
  const part = { caller };
  const [thread, otherThread] = [
    await threadWithRun(part, { ...RUN, record: true }),
    await threadWithRun(part),
  ];
  const [run, otherRun] = await Promise.all([thread, otherThread].map((id) => newestRun(part, id)));
  const state = await caller.must('ann', get(`/threads/${thread}/state`));
  await caller.must('ann', post(`/threads/${thread}/runs/wait`, { ...RUN, replay: { run_id: run } }));
  return {
    caller,
    thread,
    otherThread,
    run: run ?? '',
    otherRun: otherRun ?? '',
    replay: await newestRun(part, thread),
    checkpoint: z.looseObject({ checkpoint_id: z.string() }).parse(state.checkpoint).checkpoint_id,
    assistant: await newAssistant(part),
    otherAssistant: await newAssistant(part, { graph_id: 'ten_nodes', name: 'other' }),
    cron: await newCron(part),
    otherCron: await newCron(part),
  };
}

async function newestRun({ caller }: Pick<Scene, 'caller'>, thread: string): Promise<string> {
  const { json } = await caller.ask('ann', get(`/threads/${thread}/runs`));
  return Ids.parse(json)[0]?.run_id ?? '';
}

function status(wanted: number) {
  return (answer: UserAnswer) => assert.equal(answer.status, wanted, answer.text);
}

function shows(wanted: string | RegExp) {
  return ({ text }: UserAnswer) => {
    if (typeof wanted === 'string') assert.ok(text.includes(wanted), text);
    else assert.match(text, wanted);
  };
}

function lacks(text: string) {
  return (answer: UserAnswer) => {
    assert.ok(answer.status < 300, answer.text);
    assert.ok(!answer.text.includes(text), answer.text);
  };
}

function counts(wanted: number) {
  return ({ json, text }: UserAnswer) => assert.equal(z.array(z.unknown()).parse(json).length, wanted, text);
}

/** The handler puts another of Ann's resources in its place; the answer is about that one. */
function leads(
  field: string,
  request: (scene: Scene) => UserRequest,
  to: (scene: Scene) => string,
  seen: (scene: Scene) => (answer: UserAnswer) => void,
): ChangeOf {
  return (scene) => ({
    request: request(scene),
    script: { set: { [field]: to(scene) } },
    seen: seen(scene),
  });
}

/** The handler sets an ID that does not exist, so the resource is no longer found. */
function leadsAway(field: string, request: (scene: Scene) => UserRequest): ChangeOf {
  return leads(
    field,
    request,
    () => randomUUID(),
    () => status(404),
  );
}

/** The handler sets an invalid value, which is refused. This shows that the field is the request's. */
function spoils(field: string, request: Expectation['request'], event?: string): ChangeOf {
  return async (scene) => ({
    request: await request(scene),
    ...(event === undefined ? {} : { event }),
    script: { set: { [field]: { not: 'this' } } },
    seen: status(500),
  });
}

/** The expectation of a request that reads a thread. */
function readsThread(request: (scene: Scene) => UserRequest, others: Partial<Expectation> = {}): Expectation {
  return {
    asks: ['threads:read'],
    request,
    refused: 403,
    filtered: 'hidden',
    rewrite: leadsAway('thread_id', request),
    add: NONE,
    strip: NONE,
    ...others,
  };
}

function readsAssistant(
  request: (scene: Scene) => UserRequest,
  others: Partial<Expectation> = {},
): Expectation {
  return {
    asks: ['assistants:read'],
    request,
    refused: 403,
    filtered: 'hidden',
    rewrite: leadsAway('assistant_id', request),
    add: NONE,
    strip: NONE,
    ...others,
  };
}

/** A request that creates a run. Handlers get the same value from every API. */
function makesRun(
  path: (scene: Scene) => string,
  on: 'a thread' | 'none',
  toBody = (run: object): unknown => run,
): Expectation {
  const asked =
    (run: object = RUN) =>
    async (scene: Scene) => {
      const thread = on === 'none' ? '' : await newThread(scene);
      return post(
        path({ ...scene, thread }),
        toBody({ ...run, ...(on === 'none' ? { on_completion: 'keep' } : {}) }),
      );
    };
  /** The values of the newest thread, or of the run's thread. */
  const valuesOf = async ({ caller }: Scene, { path: at }: UserRequest) => {
    const named = /^\/threads\/([^/]+)/.exec(at)?.[1];
    const search = post('/threads/search', { limit: 1, metadata: { graph_id: 'one_node' } });
    const thread = named ?? Ids.parse((await caller.ask('ann', search)).json)[0]?.thread_id ?? '';
    const runs = Ids.parse((await caller.ask('ann', get(`/threads/${thread}/runs`))).json);
    await caller.ask('ann', get(`/threads/${thread}/runs/${runs[0]?.run_id}/join`));
    return (await caller.must('ann', get(`/threads/${thread}/state`))).values;
  };
  const change =
    (script: HandlerScript, values: object, run?: object): ChangeOf =>
    async (scene) => {
      const request = await asked(run)(scene);
      const seen = async (answer: UserAnswer) => {
        assert.ok(answer.status < 300, answer.text);
        assert.deepEqual(await valuesOf(scene, request), values);
      };
      return { request, event: 'threads:create_run', script, seen };
    };
  return {
    asks: ['threads:create_run'],
    request: asked(),
    refused: 403,
    filtered: on === 'none' ? 'owned' : 'hidden',
    rewrite: change({ set: { 'kwargs.input': { value: 41 } } }, { value: 42 }),
    add: change({ set: { 'kwargs.interrupt_before': ['add'] } }, { value: 1 }),
    strip: change(
      { set: { 'kwargs.interrupt_before': null } },
      { value: 2 },
      { ...RUN, interrupt_before: ['add'] },
    ),
  };
}

const STRANGER = '00000000-0000-4000-8000-000000000001';
const item = (key: string) => ({ namespace: ['n'], key, value: { owner: 'ann', key } });
const put = async ({ caller }: Scene, key: string, body: object = item(key)) =>
  caller.must('ann', { method: 'PUT', path: '/store/items', body });
const stored = async ({ caller }: Scene, key: string, namespace = 'n') =>
  (await caller.ask('ann', get(`/store/items?namespace=${namespace}&key=${key}`))).json;
const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: '1', method, params });
const message = (data: object) => ({
  message: { role: 'user', messageId: randomUUID(), parts: [{ kind: 'data', data }] },
});
const tool = (args: object) => rpc('tools/call', { name: 'one_node', arguments: args });
/** Imports a copy of a thread of Ann's. */
async function importOf({ caller, thread }: Scene, id: string, more: object = {}): Promise<UserRequest> {
  const exported = await caller.must('ann', get(`/harbor/threads/${thread}/export`));
  const copy = { ...JsonObject.parse(exported.thread), thread_id: id };
  const body = { thread: copy, records: exported.records, last: true, if_exists: 'skip', ...more };
  return post(`/harbor/threads/${id}/import`, body);
}

/** An import of a new thread, with a handler's change to it. */
async function importsAs(scene: Scene, body: object, script: HandlerScript, wanted: RegExp): Promise<Change> {
  const id = randomUUID();
  const request = await importOf(scene, id, body);
  const seen = async (answer: UserAnswer) => {
    status(200)(answer);
    shows(wanted)(await scene.caller.ask('ann', get(`/threads/${id}`)));
  };
  return { request, script, seen };
}

/** Writes the result of a node to Ann's thread. */
function keepOf({ thread, checkpoint }: Scene, more: object = {}): UserRequest {
  const updates = [{ as_node: 'add', values: { value: 2 } }];
  return post('/harbor/nodes/keep', { thread_id: thread, checkpoint_id: checkpoint, updates, ...more });
}

const NODE = { graph_id: 'one_node', node: 'add', input: { value: 1 } };

/** By table and name of each endpoint of a deployment that authenticates its caller. */
export const EXPECTED: Readonly<Record<string, Expectation>> = {
  'assistants.create': {
    asks: ['assistants:create'],
    request: () => post('/assistants', { graph_id: 'one_node' }),
    refused: 403,
    filtered: 'owned',
    rewrite: () => ({
      request: post('/assistants', { graph_id: 'one_node', name: 'asked' }),
      script: { set: { name: 'given' } },
      seen: ({ object }) => assert.equal(object.name, 'given'),
    }),
    add: () => ({
      request: post('/assistants', { graph_id: 'one_node' }),
      script: { set: { description: 'added' } },
      seen: ({ object }) => assert.equal(object.description, 'added'),
    }),
    strip: () => ({
      request: post('/assistants', { graph_id: 'one_node', config: { tags: ['asked'] } }),
      script: { set: { config: null } },
      seen: ({ object }) => assert.deepEqual(object.config, {}),
    }),
  },
  'assistants.search': {
    asks: ['assistants:search'],
    request: () => post('/assistants/search', {}),
    refused: 403,
    filtered: 'limited',
    rewrite: () => ({
      request: post('/assistants/search', { limit: 2 }),
      script: { set: { limit: 1 } },
      seen: counts(1),
    }),
    add: (scene) => ({
      request: post('/assistants/search', {}),
      script: { set: { graph_id: 'ten_nodes' } },
      seen: lacks(scene.assistant),
    }),
    strip: (scene) => ({
      request: post('/assistants/search', { graph_id: 'ten_nodes', limit: 1000 }),
      script: { remove: ['graph_id'] },
      seen: shows(scene.assistant),
    }),
  },
  'assistants.count': {
    asks: ['assistants:search'],
    request: () => post('/assistants/count', {}),
    refused: 403,
    filtered: 'limited',
    rewrite: () => ({
      request: post('/assistants/count', { graph_id: 'one_node' }),
      script: { set: { graph_id: 'nobody' } },
      seen: ({ json }) => assert.equal(json, 0),
    }),
    add: () => ({
      request: post('/assistants/count', {}),
      script: { set: { graph_id: 'nobody' } },
      seen: ({ json }) => assert.equal(json, 0),
    }),
    strip: () => ({
      request: post('/assistants/count', { graph_id: 'nobody' }),
      script: { remove: ['graph_id'] },
      seen: ({ json }) => assert.notEqual(json, 0),
    }),
  },
  'assistants.get': readsAssistant(({ assistant }) => get(`/assistants/${assistant}`), {
    rewrite: leads(
      'assistant_id',
      ({ assistant }) => get(`/assistants/${assistant}`),
      ({ otherAssistant }) => otherAssistant,
      ({ otherAssistant }) => shows(otherAssistant),
    ),
  }),
  'assistants.update': {
    asks: ['assistants:update'],
    request: ({ assistant }) => ({
      method: 'PATCH',
      path: `/assistants/${assistant}`,
      body: { name: 'second' },
    }),
    refused: 403,
    filtered: 'hidden',
    rewrite: ({ assistant }) => ({
      request: { method: 'PATCH', path: `/assistants/${assistant}`, body: { name: 'asked' } },
      script: { set: { name: 'given' } },
      seen: ({ object }) => assert.equal(object.name, 'given'),
    }),
    add: ({ assistant }) => ({
      request: { method: 'PATCH', path: `/assistants/${assistant}`, body: {} },
      script: { set: { description: 'added' } },
      seen: ({ object }) => assert.equal(object.description, 'added'),
    }),
    strip: async (scene) => ({
      request: {
        method: 'PATCH',
        path: `/assistants/${await newAssistant(scene)}`,
        body: { description: 'asked' },
      },
      script: { remove: ['description'] },
      seen: ({ object }) => assert.equal(object.description, null),
    }),
  },
  'assistants.delete': {
    asks: ['assistants:delete'],
    request: async (scene) => ({ method: 'DELETE', path: `/assistants/${await newAssistant(scene)}` }),
    refused: 403,
    filtered: 'hidden',
    rewrite: async (scene) => {
      const [asked, given] = [await newAssistant(scene), await newAssistant(scene)];
      return {
        request: { method: 'DELETE', path: `/assistants/${asked}` },
        script: { set: { assistant_id: given } },
        seen: async () => {
          assert.equal((await scene.caller.ask('ann', get(`/assistants/${asked}`))).status, 200);
          assert.equal((await scene.caller.ask('ann', get(`/assistants/${given}`))).status, 404);
        },
      };
    },
    add: async (scene) => {
      const assistant = await newAssistant(scene);
      const thread = await threadWithRun(scene, { ...RUN, assistant_id: assistant });
      return {
        request: { method: 'DELETE', path: `/assistants/${assistant}` },
        event: 'assistants:delete',
        script: { set: { delete_threads: true } },
        seen: async () => status(404)(await scene.caller.ask('ann', get(`/threads/${thread}`))),
      };
    },
    strip: async (scene) => {
      const assistant = await newAssistant(scene);
      const thread = await threadWithRun(scene, { ...RUN, assistant_id: assistant });
      return {
        request: { method: 'DELETE', path: `/assistants/${assistant}?delete_threads=true` },
        script: { remove: ['delete_threads'] },
        seen: async () => status(200)(await scene.caller.ask('ann', get(`/threads/${thread}`))),
      };
    },
  },
  'assistants.versions': readsAssistant(({ assistant }) => post(`/assistants/${assistant}/versions`), {
    rewrite: leads(
      'assistant_id',
      ({ assistant }) => post(`/assistants/${assistant}/versions`),
      ({ otherAssistant }) => otherAssistant,
      ({ otherAssistant }) => shows(otherAssistant),
    ),
    add: async (scene) => ({
      request: post(`/assistants/${await newAssistant(scene)}/versions`),
      script: { set: { limit: 1 } },
      seen: counts(1),
    }),
    strip: async (scene) => ({
      request: post(`/assistants/${await newAssistant(scene)}/versions`, { limit: 1 }),
      script: { remove: ['limit'] },
      seen: counts(2),
    }),
  }),
  'assistants.setLatest': {
    asks: ['assistants:update'],
    request: ({ assistant }) => post(`/assistants/${assistant}/latest`, { version: 1 }),
    refused: 403,
    filtered: 'hidden',
    rewrite: ({ assistant }) => ({
      request: post(`/assistants/${assistant}/latest?version=2`),
      script: { set: { version: 1 } },
      seen: ({ object }) => assert.equal(object.version, 1),
    }),
    add: ({ assistant }) => ({
      request: post(`/assistants/${assistant}/latest`),
      script: { set: { version: 2 } },
      seen: ({ object }) => assert.equal(object.version, 2),
    }),
    strip: ({ assistant }) => ({
      request: post(`/assistants/${assistant}/latest`, { version: 1 }),
      script: { remove: ['version'] },
      seen: status(422),
    }),
  },
  'assistants.graph': readsAssistant(({ assistant }) => get(`/assistants/${assistant}/graph`), {
    rewrite: leads(
      'assistant_id',
      ({ assistant }) => get(`/assistants/${assistant}/graph`),
      ({ otherAssistant }) => otherAssistant,
      () => shows('step10'),
    ),
    add: spoils('xray', ({ assistant }) => get(`/assistants/${assistant}/graph`)),
  }),
  'assistants.schemas': readsAssistant(({ assistant }) => get(`/assistants/${assistant}/schemas`), {
    rewrite: leads(
      'assistant_id',
      ({ assistant }) => get(`/assistants/${assistant}/schemas`),
      ({ otherAssistant }) => otherAssistant,
      () => shows('ten_nodes'),
    ),
  }),
  'assistants.subgraphs': readsAssistant(({ assistant }) => get(`/assistants/${assistant}/subgraphs`), {
    add: spoils('recurse', ({ assistant }) => get(`/assistants/${assistant}/subgraphs`)),
  }),
  'assistants.subgraphsOf': readsAssistant(({ assistant }) => get(`/assistants/${assistant}/subgraphs/a`), {
    add: spoils('recurse', ({ assistant }) => get(`/assistants/${assistant}/subgraphs/a`)),
  }),

  'threads.create': {
    asks: ['threads:create'],
    request: () => post('/threads'),
    refused: 403,
    filtered: 'owned',
    rewrite: () => ({
      request: post('/threads', { metadata: { colour: 'red' } }),
      script: { set: { 'metadata.colour': 'blue' } },
      seen: ({ object }) => assert.deepEqual(object.metadata, { colour: 'blue' }),
    }),
    add: () => ({
      request: post('/threads'),
      script: { set: { ttl: { ttl: 5, strategy: 'delete' } } },
      seen: shows('"ttl"'),
    }),
    strip: () => ({
      request: post('/threads', { ttl: 5 }),
      script: { remove: ['ttl'] },
      seen: lacks('"ttl"'),
    }),
  },
  'threads.search': {
    asks: ['threads:search'],
    request: () => post('/threads/search'),
    refused: 403,
    filtered: 'limited',
    rewrite: () => ({
      request: post('/threads/search', { limit: 2 }),
      script: { set: { limit: 1 } },
      seen: counts(1),
    }),
    add: ({ otherThread }) => ({
      request: post('/threads/search'),
      script: { set: { ids: [otherThread] } },
      seen: (answer) => {
        counts(1)(answer);
        shows(otherThread)(answer);
      },
    }),
    strip: () => ({
      request: post('/threads/search', { ids: [STRANGER], limit: 1 }),
      script: { set: { ids: null } },
      seen: counts(1),
    }),
  },
  'threads.count': {
    asks: ['threads:search'],
    request: () => post('/threads/count'),
    refused: 403,
    filtered: 'limited',
    rewrite: () => ({
      request: post('/threads/count', { metadata: { owner: 'ann' } }),
      script: { set: { 'metadata.owner': 'nobody' } },
      seen: ({ json }) => assert.equal(json, 0),
    }),
    add: () => ({
      request: post('/threads/count'),
      script: { set: { values: { value: 'nothing' } } },
      seen: ({ json }) => assert.equal(json, 0),
    }),
    strip: () => ({
      request: post('/threads/count', { values: { value: 'nothing' } }),
      script: { remove: ['values'] },
      seen: ({ json }) => assert.notEqual(json, 0),
    }),
  },
  'threads.prune': {
    asks: ['threads:delete'],
    request: async (scene) => post('/threads/prune', { thread_ids: [await newThread(scene)] }),
    refused: 403,
    filtered: 'hidden',
    rewrite: async (scene) => {
      const [asked, given] = [await newThread(scene), await newThread(scene)];
      return {
        request: post('/threads/prune', { thread_ids: [asked] }),
        script: { set: { thread_ids: [given] } },
        seen: async () => {
          status(200)(await scene.caller.ask('ann', get(`/threads/${asked}`)));
          status(404)(await scene.caller.ask('ann', get(`/threads/${given}`)));
        },
      };
    },
    add: async (scene) => {
      const thread = await threadWithRun(scene);
      return {
        request: post('/threads/prune', { thread_ids: [thread] }),
        script: { set: { strategy: 'keep_latest' } },
        seen: async () => status(200)(await scene.caller.ask('ann', get(`/threads/${thread}`))),
      };
    },
    strip: async (scene) => {
      const thread = await newThread(scene);
      return {
        request: post('/threads/prune', { thread_ids: [thread], strategy: 'keep_latest' }),
        script: { remove: ['strategy'] },
        seen: async () => status(404)(await scene.caller.ask('ann', get(`/threads/${thread}`))),
      };
    },
  },
  'threads.get': readsThread(({ thread }) => get(`/threads/${thread}`), {
    rewrite: leads(
      'thread_id',
      ({ thread }) => get(`/threads/${thread}`),
      ({ otherThread }) => otherThread,
      ({ otherThread }) => shows(otherThread),
    ),
    add: async (scene) => ({
      request: get(`/threads/${await newThread(scene, { ttl: 5 })}`),
      script: { set: { include: ['ttl'] } },
      seen: shows('"ttl"'),
    }),
    strip: async (scene) => ({
      request: get(`/threads/${await newThread(scene, { ttl: 5 })}?include=ttl`),
      script: { remove: ['include'] },
      seen: lacks('"ttl"'),
    }),
  }),
  'threads.update': {
    asks: ['threads:update'],
    request: ({ thread }) => ({
      method: 'PATCH',
      path: `/threads/${thread}`,
      body: { metadata: { owner: 'ann' } },
    }),
    refused: 403,
    filtered: 'hidden',
    rewrite: async (scene) => ({
      request: {
        method: 'PATCH',
        path: `/threads/${await newThread(scene)}`,
        body: { metadata: { colour: 'red' } },
      },
      script: { set: { 'metadata.colour': 'blue' } },
      seen: shows('"colour":"blue"'),
    }),
    add: async (scene) => ({
      request: { method: 'PATCH', path: `/threads/${await newThread(scene)}`, body: {} },
      script: { set: { ttl: 5 } },
      seen: shows('"ttl"'),
    }),
    strip: async (scene) => ({
      request: { method: 'PATCH', path: `/threads/${await newThread(scene)}`, body: { ttl: 5 } },
      script: { remove: ['ttl'] },
      seen: lacks('"ttl"'),
    }),
  },
  'threads.delete': {
    asks: ['threads:delete'],
    request: async (scene) => ({ method: 'DELETE', path: `/threads/${await newThread(scene)}` }),
    refused: 403,
    filtered: 'hidden',
    rewrite: async (scene) => {
      const [asked, given] = [await newThread(scene), await newThread(scene)];
      return {
        request: { method: 'DELETE', path: `/threads/${asked}` },
        script: { set: { thread_id: given } },
        seen: async () => {
          status(200)(await scene.caller.ask('ann', get(`/threads/${asked}`)));
          status(404)(await scene.caller.ask('ann', get(`/threads/${given}`)));
        },
      };
    },
    add: NONE,
    strip: NONE,
  },
  'threads.copy': {
    asks: ['threads:read', 'threads:create'],
    request: ({ thread }) => ({ method: 'POST', path: `/threads/${thread}/copy` }),
    refused: 403,
    filtered: 'hidden',
    rewrite: leadsAway('thread_id', ({ thread }) => ({ method: 'POST', path: `/threads/${thread}/copy` })),
    add: ({ thread }) => ({
      request: { method: 'POST', path: `/threads/${thread}/copy` },
      event: 'threads:create',
      script: { set: { 'metadata.copied': 'by ann' } },
      seen: shows('"copied":"by ann"'),
    }),
    strip: NONE,
  },
  'threads.getState': readsThread(({ thread }) => get(`/threads/${thread}/state`), {
    rewrite: leads(
      'thread_id',
      ({ thread }) => get(`/threads/${thread}/state`),
      ({ otherThread }) => otherThread,
      ({ otherThread }) => shows(otherThread),
    ),
    add: ({ thread }) => ({
      request: get(`/threads/${thread}/state`),
      script: { set: { select: ['next'] } },
      seen: lacks('"values"'),
    }),
    strip: ({ thread }) => ({
      request: get(`/threads/${thread}/state?select=next`),
      script: { remove: ['select'] },
      seen: shows('"values"'),
    }),
  }),
  'threads.getStateAt': readsThread(
    ({ thread, checkpoint }) => get(`/threads/${thread}/state/${checkpoint}`),
    {
      rewrite: leadsAway('checkpoint_id', ({ thread, checkpoint }) =>
        get(`/threads/${thread}/state/${checkpoint}`),
      ),
      add: ({ thread, checkpoint }) => ({
        request: get(`/threads/${thread}/state/${checkpoint}`),
        script: { set: { select: ['next'] } },
        seen: lacks('"values"'),
      }),
      strip: ({ thread, checkpoint }) => ({
        request: get(`/threads/${thread}/state/${checkpoint}?select=next`),
        script: { remove: ['select'] },
        seen: shows('"values"'),
      }),
    },
  ),
  'threads.getStateAtCheckpoint': readsThread(
    ({ thread, checkpoint }) =>
      post(`/threads/${thread}/state/checkpoint`, { checkpoint: { checkpoint_id: checkpoint } }),
    {
      rewrite: ({ thread, checkpoint }) => ({
        request: post(`/threads/${thread}/state/checkpoint`, { checkpoint: { checkpoint_id: checkpoint } }),
        script: { set: { 'checkpoint.checkpoint_id': STRANGER } },
        seen: status(404),
      }),
      add: ({ thread, checkpoint }) => ({
        request: post(`/threads/${thread}/state/checkpoint`, { checkpoint: { checkpoint_id: checkpoint } }),
        script: { set: { select: ['next'] } },
        seen: lacks('"values"'),
      }),
      strip: ({ thread, checkpoint }) => ({
        request: post(`/threads/${thread}/state/checkpoint`, {
          checkpoint: { checkpoint_id: checkpoint },
          select: ['next'],
        }),
        script: { remove: ['select'] },
        seen: shows('"values"'),
      }),
    },
  ),
  'threads.updateState': {
    asks: ['threads:update'],
    request: async (scene) => post(`/threads/${await threadWithRun(scene)}/state`, { values: { value: 3 } }),
    refused: 403,
    filtered: 'hidden',
    rewrite: async (scene) => {
      const thread = await threadWithRun(scene);
      return {
        request: post(`/threads/${thread}/state`, { values: { value: 3 } }),
        script: { set: { 'values.value': 30 } },
        seen: async () => shows('"value":30')(await scene.caller.ask('ann', get(`/threads/${thread}/state`))),
      };
    },
    add: async (scene) => ({
      request: post(`/threads/${await threadWithRun(scene)}/state`, { values: { value: 3 } }),
      script: { set: { as_node: 'nobody' } },
      seen: status(400),
    }),
    strip: async (scene) => ({
      request: post(`/threads/${await threadWithRun(scene)}/state`, {
        values: { value: 3 },
        as_node: 'nobody',
      }),
      script: { remove: ['as_node'] },
      seen: status(200),
    }),
  },
  'threads.patchStateMetadata': {
    asks: ['threads:update'],
    request: ({ thread }) => ({
      method: 'PATCH',
      path: `/threads/${thread}/state`,
      body: { metadata: { owner: 'ann' } },
    }),
    refused: 403,
    filtered: 'hidden',
    rewrite: async (scene) => ({
      request: {
        method: 'PATCH',
        path: `/threads/${await newThread(scene)}/state`,
        body: { metadata: { colour: 'red' } },
      },
      script: { set: { 'metadata.colour': 'blue' } },
      seen: shows('"colour":"blue"'),
    }),
    add: async (scene) => ({
      request: { method: 'PATCH', path: `/threads/${await newThread(scene)}/state`, body: {} },
      script: { set: { 'metadata.colour': 'blue' } },
      seen: shows('"colour":"blue"'),
    }),
    strip: async (scene) => ({
      request: {
        method: 'PATCH',
        path: `/threads/${await newThread(scene)}/state`,
        body: { metadata: { colour: 'red' } },
      },
      script: { remove: ['metadata'] },
      seen: lacks('colour'),
    }),
  },
  'threads.history': readsThread(({ thread }) => post(`/threads/${thread}/history`), {
    rewrite: ({ thread }) => ({
      request: post(`/threads/${thread}/history`, { limit: 2 }),
      script: { set: { limit: 1 } },
      seen: counts(1),
    }),
    add: ({ thread }) => ({
      request: post(`/threads/${thread}/history`),
      script: { set: { limit: 1 } },
      seen: counts(1),
    }),
    strip: ({ otherThread }) => ({
      request: post(`/threads/${otherThread}/history`, { limit: 1 }),
      script: { remove: ['limit'] },
      seen: counts(3),
    }),
  }),
  'threads.historyByQuery': readsThread(({ thread }) => get(`/threads/${thread}/history`), {
    rewrite: ({ thread }) => ({
      request: get(`/threads/${thread}/history?limit=2`),
      script: { set: { limit: 1 } },
      seen: counts(1),
    }),
    add: ({ thread }) => ({
      request: get(`/threads/${thread}/history`),
      script: { set: { limit: 1 } },
      seen: counts(1),
    }),
    strip: ({ otherThread }) => ({
      request: get(`/threads/${otherThread}/history?limit=1`),
      script: { remove: ['limit'] },
      seen: counts(3),
    }),
  }),
  'threadStream.joinStream': readsThread(
    ({ thread }) => ({ ...get(`/threads/${thread}/stream`), endless: true }),
    {
      add: spoils('stream_mode', ({ thread }) => ({ ...get(`/threads/${thread}/stream`), endless: true })),
    },
  ),

  'archive.exportThread': readsThread(({ thread }) => get(`/harbor/threads/${thread}/export`), {
    rewrite: leads(
      'thread_id',
      ({ thread }) => get(`/harbor/threads/${thread}/export`),
      ({ otherThread }) => otherThread,
      ({ otherThread }) => shows(otherThread),
    ),
    add: spoils('cursor', ({ thread }) => get(`/harbor/threads/${thread}/export`)),
  }),
  'archive.importThread': {
    asks: ['threads:update', 'threads:create'],
    request: async (scene) => importOf(scene, scene.thread),
    refused: 403,
    filtered: 'hidden',
    rewrite: (scene) =>
      importsAs(
        scene,
        { metadata: { colour: 'red' } },
        { set: { 'metadata.colour': 'blue' } },
        /"colour":"blue"/,
      ),
    add: (scene) => importsAs(scene, {}, { set: { 'metadata.colour': 'blue' } }, /"colour":"blue"/),
    strip: async (scene) => ({
      request: await importOf(scene, scene.thread, { if_exists: 'skip' }),
      script: { remove: ['if_exists'] },
      seen: status(409),
    }),
  },
  'recordings.readRecording': readsThread(
    ({ thread, run }) => get(`/harbor/threads/${thread}/recordings/${run}`),
    {
      add: spoils('cursor', ({ thread, run }) => get(`/harbor/threads/${thread}/recordings/${run}`)),
    },
  ),
  'recordings.addRecording': {
    asks: ['threads:update'],
    request: ({ thread, run }) => post(`/harbor/threads/${thread}/recordings/${run}`, { exchanges: [] }),
    refused: 403,
    filtered: 'hidden',
    rewrite: leadsAway('thread_id', ({ thread, run }) =>
      post(`/harbor/threads/${thread}/recordings/${run}`, { exchanges: [] }),
    ),
    add: NONE,
    strip: NONE,
  },
  'recordings.readReplay': readsThread(
    ({ thread, replay }) => get(`/harbor/threads/${thread}/replays/${replay}`),
    {
      rewrite: leadsAway('run_id', ({ thread, replay }) =>
        get(`/harbor/threads/${thread}/replays/${replay}`),
      ),
    },
  ),
  'nodes.nodeInput': readsThread(({ thread, checkpoint }) =>
    post('/harbor/nodes/input', { thread_id: thread, node: 'add', checkpoint_id: checkpoint }),
  ),
  'nodes.runNode': {
    asks: ['threads:create_run'],
    request: ({ thread }) => post('/harbor/nodes/run', { ...NODE, thread_id: thread }),
    refused: 403,
    filtered: 'hidden',
    rewrite: () => ({
      request: post('/harbor/nodes/run', NODE),
      script: { set: { 'kwargs.input': { value: 41 } } },
      seen: shows('"value":42'),
    }),
    add: spoils('kwargs.checkpoint_id', () => post('/harbor/nodes/run', NODE)),
    strip: () => ({
      request: post('/harbor/nodes/run', { ...NODE, checkpoint_id: 'none' }),
      script: { set: { 'kwargs.input': { value: 5 }, 'kwargs.checkpoint_id': null } },
      seen: shows('"value":6'),
    }),
  },
  'nodes.keepResult': {
    asks: ['threads:update'],
    request: keepOf,
    refused: 403,
    filtered: 'hidden',
    rewrite: async (scene) => ({
      request: await keepOf(scene),
      script: { set: { updates: [{ as_node: 'add', values: { value: 20 } }] } },
      seen: async () =>
        shows('"value":20')(await scene.caller.ask('ann', get(`/threads/${scene.thread}/state`))),
    }),
    add: spoils('checkpoint_ns', keepOf),
    strip: async (scene) => ({
      request: await keepOf(scene, { checkpoint_ns: 'nowhere' }),
      script: { remove: ['checkpoint_ns'] },
      seen: status(200),
    }),
  },
  'nodes.reducers': readsAssistant(() => get('/harbor/graphs/one_node/reducers'), {
    filtered: 'same',
    rewrite: () => ({
      request: get('/harbor/graphs/one_node/reducers'),
      script: { set: { graph_id: 'nobody' } },
      seen: ({ status: code }) => assert.ok(code >= 400),
    }),
  }),

  'runs.stream': makesRun(({ thread }) => `/threads/${thread}/runs/stream`, 'a thread'),
  'runs.wait': makesRun(({ thread }) => `/threads/${thread}/runs/wait`, 'a thread'),
  'runs.create': makesRun(({ thread }) => `/threads/${thread}/runs`, 'a thread'),
  'runs.streamStateless': makesRun(() => '/runs/stream', 'none'),
  'runs.waitStateless': makesRun(() => '/runs/wait', 'none'),
  'runs.createStateless': makesRun(() => '/runs', 'none'),
  'runs.createBatch': makesRun(
    () => '/runs/batch',
    'none',
    (run) => [run],
  ),
  'runs.list': readsThread(({ thread }) => get(`/threads/${thread}/runs`), {
    rewrite: leads(
      'thread_id',
      ({ thread }) => get(`/threads/${thread}/runs`),
      ({ otherThread }) => otherThread,
      ({ otherRun }) => shows(otherRun),
    ),
    add: ({ thread }) => ({
      request: get(`/threads/${thread}/runs`),
      script: { set: { status: 'error' } },
      seen: counts(0),
    }),
    strip: ({ otherThread }) => ({
      request: get(`/threads/${otherThread}/runs?status=error`),
      script: { remove: ['status'] },
      seen: counts(1),
    }),
  }),
  'runs.get': readsThread(({ thread, run }) => get(`/threads/${thread}/runs/${run}`), {
    rewrite: ({ thread, run, otherThread, otherRun }) => ({
      request: get(`/threads/${thread}/runs/${run}`),
      script: { set: { thread_id: otherThread, run_id: otherRun } },
      seen: shows(otherRun),
    }),
  }),
  'runs.delete': {
    asks: ['threads:delete'],
    request: async (scene) => {
      const thread = await threadWithRun(scene);
      return { method: 'DELETE', path: `/threads/${thread}/runs/${await newestRun(scene, thread)}` };
    },
    refused: 403,
    filtered: 'hidden',
    rewrite: leadsAway('run_id', ({ thread, run }) => ({
      method: 'DELETE',
      path: `/threads/${thread}/runs/${run}`,
    })),
    add: NONE,
    strip: NONE,
  },
  'runs.join': readsThread(({ thread, run }) => get(`/threads/${thread}/runs/${run}/join`), {
    add: spoils('cancel_on_disconnect', ({ thread, run }) => get(`/threads/${thread}/runs/${run}/join`)),
  }),
  'runs.joinStream': readsThread(({ thread, run }) => get(`/threads/${thread}/runs/${run}/stream`), {
    add: spoils('stream_mode', ({ thread, run }) => get(`/threads/${thread}/runs/${run}/stream`)),
  }),
  'runs.joinStreamStateless': readsThread(({ run }) => get(`/runs/${run}/stream`), {
    rewrite: leadsAway('run_id', ({ run }) => get(`/runs/${run}/stream`)),
    add: spoils('stream_mode', ({ run }) => get(`/runs/${run}/stream`)),
  }),
  'runs.cancel': {
    asks: ['threads:update'],
    request: ({ thread, run }) => post(`/threads/${thread}/runs/${run}/cancel`),
    refused: 403,
    filtered: 'hidden',
    rewrite: leadsAway('run_id', ({ thread, run }) => post(`/threads/${thread}/runs/${run}/cancel`)),
    add: ({ thread, run }) => ({
      request: post(`/threads/${thread}/runs/${run}/cancel`),
      script: { set: { wait: true } },
      seen: status(204),
    }),
    strip: ({ thread, run }) => ({
      request: post(`/threads/${thread}/runs/${run}/cancel?wait=true`),
      script: { remove: ['wait'] },
      seen: status(202),
    }),
  },
  'runs.cancelMany': {
    asks: ['threads:update'],
    request: ({ run }) => post('/runs/cancel', { run_ids: [run] }),
    refused: 403,
    filtered: 'hidden',
    rewrite: spoils('run_ids', ({ run }) => post('/runs/cancel', { run_ids: [run] })),
    add: spoils('thread_id', ({ run }) => post('/runs/cancel', { run_ids: [run] })),
    strip: async (scene) => {
      const thread = await newThread(scene);
      const waiting = { ...RUN, after_seconds: 1000 };
      const made = await scene.caller.must('ann', post(`/threads/${thread}/runs`, waiting));
      return {
        request: post('/runs/cancel', { thread_id: thread, status: 'running' }),
        script: { remove: ['status'] },
        seen: async () =>
          shows('"interrupted"')(
            await scene.caller.ask('ann', get(`/threads/${thread}/runs/${made.run_id}`)),
          ),
      };
    },
  },

  'store.put': {
    asks: ['store:put'],
    request: () => ({ method: 'PUT', path: '/store/items', body: item('put') }),
    refused: 403,
    filtered: 'same',
    rewrite: (scene) => ({
      request: { method: 'PUT', path: '/store/items', body: item('rewritten') },
      script: { prefix: true },
      seen: async () => {
        assert.equal(await stored(scene, 'rewritten'), null);
        assert.notEqual(await stored(scene, 'rewritten', 'ann.n'), null);
      },
    }),
    add: spoils('ttl', () => ({ method: 'PUT', path: '/store/items', body: item('added') })),
    strip: (scene) => ({
      request: { method: 'PUT', path: '/store/items', body: item('stripped') },
      script: { remove: ['value.owner'] },
      seen: async () =>
        assert.deepEqual(z.looseObject({ value: z.unknown() }).parse(await stored(scene, 'stripped')).value, {
          key: 'stripped',
        }),
    }),
  },
  'store.get': {
    asks: ['store:get'],
    request: async (scene) => {
      await put(scene, 'got');
      return get('/store/items?namespace=n&key=got');
    },
    refused: 403,
    filtered: 'same',
    rewrite: async (scene) => {
      await put(scene, 'mine', { ...item('mine'), namespace: ['ann', 'n'] });
      return {
        request: get('/store/items?namespace=n&key=mine'),
        script: { prefix: true },
        seen: shows('"mine"'),
      };
    },
    add: spoils('refresh_ttl', () => get('/store/items?namespace=n&key=got')),
    strip: () => ({
      request: get('/store/items?namespace=n&key=got'),
      script: { remove: ['key'] },
      seen: status(500),
    }),
  },
  'store.delete': {
    asks: ['store:delete'],
    request: async (scene) => {
      await put(scene, 'deleted');
      return { method: 'DELETE', path: '/store/items', body: { namespace: ['n'], key: 'deleted' } };
    },
    refused: 403,
    filtered: 'same',
    rewrite: async (scene) => {
      await put(scene, 'kept');
      return {
        request: { method: 'DELETE', path: '/store/items', body: { namespace: ['n'], key: 'kept' } },
        script: { prefix: true },
        seen: async () => assert.notEqual(await stored(scene, 'kept'), null),
      };
    },
    add: NONE,
    strip: () => ({
      request: { method: 'DELETE', path: '/store/items', body: { namespace: ['n'], key: 'kept' } },
      script: { remove: ['namespace'] },
      seen: status(500),
    }),
  },
  'store.search': {
    asks: ['store:search'],
    request: async (scene) => {
      await put(scene, 'searched');
      return post('/store/items/search', { namespace_prefix: ['n'] });
    },
    refused: 403,
    filtered: 'limited',
    rewrite: async (scene) => {
      await put(scene, 'searched');
      return {
        request: post('/store/items/search', { namespace_prefix: ['n'] }),
        script: { prefix: true },
        seen: lacks('searched'),
      };
    },
    add: async (scene) => {
      await put(scene, 'searched');
      return {
        request: post('/store/items/search', { namespace_prefix: ['n'] }),
        script: { set: { filter: { owner: 'bob' } } },
        seen: lacks('searched'),
      };
    },
    strip: async (scene) => {
      await put(scene, 'searched');
      return {
        request: post('/store/items/search', { namespace_prefix: ['n'], filter: { owner: 'bob' } }),
        script: { set: { filter: null } },
        seen: shows('searched'),
      };
    },
  },
  'store.namespaces': {
    asks: ['store:list_namespaces'],
    request: () => post('/store/namespaces'),
    refused: 403,
    filtered: 'same',
    rewrite: async (scene) => {
      await put(scene, 'listed', { ...item('listed'), namespace: ['public', 'listed'] });
      return { request: post('/store/namespaces'), script: { prefix: true }, seen: lacks('public') };
    },
    add: async (scene) => {
      await put(scene, 'listed', { ...item('listed'), namespace: ['public', 'listed'] });
      return { request: post('/store/namespaces'), script: { set: { max_depth: 1 } }, seen: lacks('listed') };
    },
    strip: async (scene) => {
      await put(scene, 'listed', { ...item('listed'), namespace: ['public', 'listed'] });
      return {
        request: post('/store/namespaces', { max_depth: 1 }),
        script: { remove: ['max_depth'] },
        seen: shows('listed'),
      };
    },
  },

  'crons.createForThread': {
    asks: ['threads:read', 'crons:create'],
    request: ({ thread }) => post(`/threads/${thread}/runs/crons`, { ...RUN, schedule: '0 0 1 1 *' }),
    refused: 403,
    filtered: 'hidden',
    ...changesOfCron(({ thread }) => `/threads/${thread}/runs/crons`),
  },
  'crons.create': {
    asks: ['crons:create'],
    request: () => post('/runs/crons', { ...RUN, schedule: '0 0 1 1 *' }),
    refused: 403,
    filtered: 'owned',
    ...changesOfCron(() => '/runs/crons'),
  },
  'crons.search': {
    asks: ['crons:search'],
    request: () => post('/runs/crons/search'),
    refused: 403,
    filtered: 'limited',
    rewrite: () => ({
      request: post('/runs/crons/search', { limit: 2 }),
      script: { set: { limit: 1 } },
      seen: counts(1),
    }),
    add: () => ({
      request: post('/runs/crons/search'),
      script: { set: { enabled: false } },
      seen: counts(0),
    }),
    strip: ({ cron }) => ({
      request: post('/runs/crons/search', { enabled: false }),
      script: { set: { enabled: null, limit: 100 } },
      seen: shows(cron),
    }),
  },
  'crons.count': {
    asks: ['crons:search'],
    request: () => post('/runs/crons/count'),
    refused: 403,
    filtered: 'limited',
    rewrite: () => ({
      request: post('/runs/crons/count', { enabled: true }),
      script: { set: { enabled: false } },
      seen: ({ json }) => assert.equal(json, 0),
    }),
    add: () => ({
      request: post('/runs/crons/count'),
      script: { set: { enabled: false } },
      seen: ({ json }) => assert.equal(json, 0),
    }),
    strip: () => ({
      request: post('/runs/crons/count', { enabled: false }),
      script: { remove: ['enabled'] },
      seen: ({ json }) => assert.notEqual(json, 0),
    }),
  },
  'crons.get': {
    asks: ['crons:read'],
    request: ({ cron }) => get(`/runs/crons/${cron}`),
    refused: 403,
    filtered: 'hidden',
    rewrite: leads(
      'cron_id',
      ({ cron }) => get(`/runs/crons/${cron}`),
      ({ otherCron }) => otherCron,
      ({ otherCron }) => shows(otherCron),
    ),
    add: NONE,
    strip: NONE,
  },
  'crons.update': {
    asks: ['crons:update'],
    request: ({ cron }) => ({
      method: 'PATCH',
      path: `/runs/crons/${cron}`,
      body: { schedule: '0 0 1 1 *' },
    }),
    refused: 403,
    filtered: 'hidden',
    rewrite: ({ cron }) => ({
      request: { method: 'PATCH', path: `/runs/crons/${cron}`, body: { schedule: '0 0 2 1 *' } },
      script: { set: { schedule: '0 0 3 1 *' } },
      seen: ({ object }) => assert.equal(object.schedule, '0 0 3 1 *'),
    }),
    add: ({ cron }) => ({
      request: { method: 'PATCH', path: `/runs/crons/${cron}`, body: {} },
      script: { set: { 'payload.interrupt_before': ['add'] } },
      seen: shows('"interrupt_before":["add"]'),
    }),
    strip: async (scene) => ({
      request: {
        method: 'PATCH',
        path: `/runs/crons/${await newCron(scene)}`,
        body: { interrupt_after: ['add'] },
      },
      script: { remove: ['payload.interrupt_after'] },
      seen: lacks('interrupt_after'),
    }),
  },
  'crons.delete': {
    asks: ['crons:delete'],
    request: async (scene) => ({ method: 'DELETE', path: `/runs/crons/${await newCron(scene)}` }),
    refused: 403,
    filtered: 'hidden',
    rewrite: leadsAway('cron_id', ({ cron }) => ({ method: 'DELETE', path: `/runs/crons/${cron}` })),
    add: NONE,
    strip: NONE,
  },

  'protocol.commands': {
    ...makesRun(
      ({ thread }) => `/threads/${thread}/commands`,
      'a thread',
      ({ interrupt_before: _, ...params }: { interrupt_before?: unknown }) => ({
        id: 1,
        method: 'run.start',
        params,
      }),
    ),
    asks: ['threads:read', 'threads:create_run'],
    refused: /Forbidden/,
    strip: async (scene) => {
      const thread = await newThread(scene);
      const params = { ...RUN, metadata: { colour: 'red' } };
      return {
        request: post(`/threads/${thread}/commands`, { id: 1, method: 'run.start', params }),
        event: 'threads:create_run',
        script: { remove: ['metadata.colour'] },
        seen: async () => {
          const { json } = await scene.caller.ask('ann', get(`/threads/${thread}/runs`));
          assert.equal(
            z.array(z.looseObject({ metadata: JsonObject })).parse(json)[0]?.metadata.colour,
            undefined,
          );
        },
      };
    },
  },
  'protocol.events': readsThread(
    ({ thread }) => ({
      ...post(`/threads/${thread}/stream/events`, { channels: ['values'] }),
      endless: true,
    }),
    {
      rewrite: spoils('channels', ({ thread }) =>
        post(`/threads/${thread}/stream/events`, { channels: ['values'] }),
      ),
      add: spoils('since', ({ thread }) =>
        post(`/threads/${thread}/stream/events`, { channels: ['values'] }),
      ),
    },
  ),
  'protocol.socket': readsThread(
    ({ thread }) => ({ ...get(`/threads/${thread}/stream/events`), socket: true }),
    {
      rewrite: spoils('thread_id', ({ thread }) => ({
        ...get(`/threads/${thread}/stream/events`),
        socket: true,
      })),
    },
  ),

  'mcp.post': {
    ...makesRun(
      () => '/mcp',
      'none',
      ({ input }: { input?: object }) => tool(input ?? {}),
    ),
    asks: ['assistants:search', 'threads:create_run'],
    refused: /"error"/,
    filtered: 'same',
    rewrite: () => ({
      request: post('/mcp', tool({ value: 1 })),
      event: 'threads:create_run',
      script: { set: { 'kwargs.input': { value: 41 } } },
      seen: shows(/"structuredContent":\{"value":42\}/),
    }),
    add: () => ({
      request: post('/mcp', tool({ value: 1 })),
      event: 'threads:create_run',
      script: { set: { 'kwargs.interrupt_before': ['add'] } },
      seen: shows(/"structuredContent":\{"value":1/),
    }),
    strip: () => ({
      request: post('/mcp', tool({ value: 7 })),
      event: 'threads:create_run',
      script: { set: { 'kwargs.input': {} } },
      seen: shows(/"structuredContent":\{"value":1\}/),
    }),
  },
  'mcp.delete': {
    asks: [],
    request: () => ({ method: 'DELETE', path: '/mcp' }),
    refused: 404,
    filtered: 'hidden',
    rewrite: NONE,
    add: NONE,
    strip: NONE,
  },
  'a2a.rpc': {
    asks: ['assistants:read', 'threads:create_run', 'assistants:read'],
    request: ({ assistant }) => post(`/a2a/${assistant}`, rpc('message/send', message({ value: 1 }))),
    refused: /Forbidden/,
    filtered: 'hidden',
    rewrite: ({ assistant }) => ({
      request: post(`/a2a/${assistant}`, rpc('message/send', message({ value: 1 }))),
      event: 'threads:create_run',
      script: { set: { 'kwargs.input': { value: 41 } } },
      seen: shows('"value":42'),
    }),
    add: ({ assistant }) => ({
      request: post(`/a2a/${assistant}`, rpc('message/send', message({ value: 1 }))),
      event: 'threads:create_run',
      script: { set: { 'kwargs.config.recursion_limit': 'none' } },
      seen: status(500),
    }),
    strip: ({ assistant }) => ({
      request: post(`/a2a/${assistant}`, rpc('message/send', message({ value: 5 }))),
      event: 'threads:create_run',
      script: { set: { 'kwargs.input': {} } },
      seen: shows('"value":1'),
    }),
  },
  'a2a.card': readsAssistant(({ assistant }) => get(`/a2a/${assistant}/.well-known/agent-card.json`), {
    asks: ['assistants:read', 'assistants:read'],
  }),
  'a2a.cardByQuery': readsAssistant(
    ({ assistant }) => get(`/.well-known/agent-card.json?assistant_id=${assistant}`),
    {
      asks: ['assistants:read', 'assistants:read'],
    },
  ),
  'ui.load': {
    asks: [],
    request: () => post('/ui/one_node', { name: 'none' }),
    refused: 404,
    filtered: 'hidden',
    rewrite: NONE,
    add: NONE,
    strip: NONE,
  },
};

/** The fields of a cron's runs are in its payload (`CronsCreate`). */
function changesOfCron(path: (scene: Scene) => string): Pick<Expectation, 'rewrite' | 'add' | 'strip'> {
  const body = { ...RUN, schedule: '0 0 1 1 *', interrupt_before: ['add'] };
  const change =
    (script: HandlerScript, seen: Change['seen']): ChangeOf =>
    (scene) => ({
      request: post(path(scene), body),
      event: 'crons:create',
      script,
      seen,
    });
  return {
    rewrite: change({ set: { 'payload.input': { value: 41 } } }, shows('"value":41')),
    add: change({ set: { 'payload.interrupt_after': ['add'] } }, shows('"interrupt_after":["add"]')),
    strip: change({ set: { 'payload.interrupt_before': null } }, ({ object }) => {
      assert.equal(JsonObject.parse(object.payload).interrupt_before, undefined);
    }),
  };
}
