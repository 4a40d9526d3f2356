import assert from 'node:assert/strict';
import { z } from 'zod';
import { AuthCaller, type AuthLanguage } from '../../../support/auth-caller.ts';
import { eventually } from '../../../support/wait.ts';

const NODE = `
import { Annotation, START, StateGraph } from '@langchain/langgraph';

const State = Annotation.Root({ seen: Annotation() });
const who = new StateGraph(State)
  .addNode('go', (_state, config) => {
    const { langgraph_auth_user: user, user_id, langgraph_auth_user_id } = config.configurable;
    const { call, script, ...fields } = user;
    const inside = config.serverInfo?.user?.identity;
    return { seen: { identity: user.identity, byName: user['identity'], user_id, id: langgraph_auth_user_id, inside, fields } };
  })
  .addEdge(START, 'go')
  .compile();

export { who };
`;

const PYTHON = `
from typing import Any, TypedDict
from langgraph.graph import START, StateGraph
from langgraph.runtime import get_runtime
from langgraph_sdk.runtime import ServerRuntime


class State(TypedDict, total=False):
    seen: Any


def who(runtime: ServerRuntime):
    made_for = runtime.ensure_user().identity

    def go(state, config):
        configurable = config["configurable"]
        user = configurable["langgraph_auth_user"]
        return {
            "seen": {
                "identity": user.identity,
                "byName": user["identity"],
                "user_id": configurable["user_id"],
                "id": configurable["langgraph_auth_user_id"],
                "inside": get_runtime().server_info.user.identity,
                "made_for": made_for,
                "fields": {key: user[key] for key in user if key not in ("call", "script")},
                "name": [user.display_name, user.is_authenticated, list(user.permissions)],
                "config": user,
            }
        }

    return StateGraph(State).add_node("go", go).add_edge(START, "go").compile()
`;

const PROJECTS = {
  node: { files: { 'who.mjs': NODE }, graph: './who.mjs:who' },
  python: { files: { 'who.py': PYTHON }, graph: './who.py:who' },
};

/** The user of the public SDK's types (`BaseUser`), with what the handler added. */
const FIELDS = { identity: 'ann', permissions: ['read'], is_authenticated: true, display_name: 'ann' };
const FORGED = {
  configurable: {
    user_id: 'root',
    langgraph_auth_user_id: 'root',
    langgraph_auth_user: { identity: 'root' },
  },
};

const Seen = z.looseObject({ seen: z.looseObject({}) });
const Crons = z.looseObject({ cron_id: z.string(), user_id: z.string().nullable() });
const Threads = z.array(z.looseObject({ values: Seen.nullish() }));

const ANYBODY = {
  node: `
import { Annotation, START, StateGraph } from '@langchain/langgraph';

export const anybody = new StateGraph(Annotation.Root({ seen: Annotation() }))
  .addNode('go', (_state, config) => {
    const named = Object.keys(config.configurable).filter((name) => name.startsWith('langgraph_auth'));
    return { seen: { inside: config.serverInfo?.user ?? null, named, user_id: config.configurable.user_id } };
  })
  .addEdge(START, 'go')
  .compile();
`,
  python: `
from typing import Any, TypedDict
from langgraph.graph import START, StateGraph
from langgraph.runtime import get_runtime


class State(TypedDict, total=False):
    seen: Any


def go(state, config):
    configurable = config["configurable"]
    named = [name for name in configurable if name.startswith("langgraph_auth")]
    inside = get_runtime().server_info.user
    return {"seen": {"inside": inside, "named": named, "user_id": configurable["user_id"]}}


anybody = StateGraph(State).add_node("go", go).add_edge(START, "go").compile()
`,
};

for (const language of ['node', 'python'] as const) describeUsers(language);

function describeUsers(language: AuthLanguage): void {
  describe(`a run in ${language === 'node' ? 'JavaScript' : 'Python'} without auth`, function () {
    this.timeout(60_000);

    it('has no user, whatever a caller or an assistant says', async function () {
      const name = language === 'node' ? 'anybody.mjs' : 'anybody.py';
      const files = { [name]: ANYBODY[language] };
      const config = { graphs: { anybody: `./${name}:anybody` }, auth: {} };
      await using caller = await AuthCaller.start(this, language, files, config);
      const made = { graph_id: 'anybody', config: FORGED };
      const { assistant_id } = await caller.must('ann', { method: 'POST', path: '/assistants', body: made });
      for (const run of [{ assistant_id: 'anybody', config: FORGED }, { assistant_id }]) {
        const request = { method: 'POST', path: '/runs/wait', body: { ...run, input: {} } };
        const { seen } = await caller.must('ann', request);
        assert.deepEqual(seen, { inside: null, named: [], user_id: 'root' });
      }
    });
  });

  describe(`the user of a run in ${language === 'node' ? 'JavaScript' : 'Python'}`, function () {
    this.timeout(60_000);
    let caller: AuthCaller;
    const expected = {
      identity: 'ann',
      byName: 'ann',
      user_id: 'ann',
      id: 'ann',
      inside: 'ann',
      fields: FIELDS,
      ...(language === 'node' ? {} : { made_for: 'ann', name: ['ann', true, ['read']] }),
    };
    before(async function () {
      const { files, graph } = PROJECTS[language];
      caller = await AuthCaller.start(this, language, files, { graphs: { who: graph } });
    });
    after(() => caller?.[Symbol.asyncDispose]());

    const wait = async (body: object, scripts = {}) => {
      const request = {
        method: 'POST',
        path: '/runs/wait',
        body: { assistant_id: 'who', input: {}, ...body },
      };
      const answer = await caller.must('ann', request, scripts);
      const { config: _, ...seen } = Seen.parse(answer).seen;
      return seen;
    };

    it('reaches the graph wherever the public servers put it', async () => {
      assert.deepEqual(await wait({}), expected);
    });

    it('cannot be chosen by a caller, in a run, an assistant, or a command', async () => {
      assert.deepEqual(await wait({ config: FORGED }), expected);
      assert.deepEqual(await wait({ context: FORGED.configurable }), expected);
      const assistant = { graph_id: 'who', config: FORGED };
      const made = await caller.must('ann', { method: 'POST', path: '/assistants', body: assistant });
      assert.deepEqual(await wait({ assistant_id: made.assistant_id }), expected);
      const { thread_id } = await caller.must('ann', { method: 'POST', path: '/threads', body: {} });
      const params = { assistant_id: 'who', input: {}, config: FORGED };
      const start = { id: 1, method: 'run.start', params };
      await caller.must('ann', { method: 'POST', path: `/threads/${thread_id}/commands`, body: start });
      const state = await eventually('the run has ended', async () => {
        const { values } = await caller.must('ann', { method: 'GET', path: `/threads/${thread_id}/state` });
        return Seen.safeParse(values).data;
      });
      const { config: _, ...seen } = state.seen;
      assert.deepEqual(seen, expected);
    });

    it('cannot be chosen by a caller for a cron', async () => {
      const body = {
        assistant_id: 'who',
        input: {},
        schedule: '* * * * * *',
        config: FORGED,
        metadata: { for: 'cron' },
      };
      const cron = { ...body, on_run_completed: 'keep' };
      const made = Crons.parse(await caller.must('ann', { method: 'POST', path: '/runs/crons', body: cron }));
      assert.equal(made.user_id, 'ann');
      const forged = { method: 'PATCH', path: `/runs/crons/${made.cron_id}`, body: { config: FORGED } };
      await caller.must('ann', forged);
      const search = {
        method: 'POST',
        path: '/threads/search',
        body: { metadata: { for: 'cron' }, status: 'idle' },
      };
      const values = await eventually(
        'it has run',
        async () => Threads.parse((await caller.ask('ann', search)).json).map((thread) => thread.values)[0],
      );
      await caller.must('ann', { method: 'DELETE', path: `/runs/crons/${made.cron_id}` });
      const { config: _, ...seen } = Seen.parse(values).seen;
      assert.deepEqual(seen, expected);
    });

    it('is the caller if a graph is created for its schemas', async () => {
      const assistant = { graph_id: 'who', config: FORGED, context: { some: 'thing' } };
      const made = await caller.must('ann', { method: 'POST', path: '/assistants', body: assistant });
      const path = `/assistants/${made.assistant_id}/schemas`;
      assert.equal((await caller.must('ann', { method: 'GET', path })).graph_id, 'who');
    });

    it('gets another user_id from a handler, and stays the user', async () => {
      const set = {
        'kwargs.config.configurable.user_id': 'tenant',
        'kwargs.config.configurable.langgraph_auth_user_id': 'root',
      };
      assert.deepEqual(await wait({}, { 'threads:create_run': { set } }), { ...expected, user_id: 'tenant' });
      const bare = { 'kwargs.config': { configurable: { colour: 'red' } } };
      assert.deepEqual(await wait({}, { 'threads:create_run': { set: bare } }), expected);
    });

    it('is JSON for clients', async () => {
      const request = { method: 'POST', path: '/runs/wait', body: { assistant_id: 'who', input: {} } };
      const { seen } = Seen.parse(await caller.must('ann', request));
      if (language === 'python')
        assert.equal(z.looseObject({ identity: z.string() }).parse(seen.config).identity, 'ann');
      const debug = {
        ...request,
        path: '/runs/stream',
        body: { ...request.body, stream_mode: ['debug', 'events'] },
      };
      const { text, status } = await caller.ask('ann', debug);
      assert.equal(status, 200);
      assert.doesNotMatch(text, /AuthenticatedUser\(|event: error/);
    });
  });
}
