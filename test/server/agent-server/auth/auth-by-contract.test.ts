import assert from 'node:assert/strict';
import type { EndpointTable } from '../../../../src/contract/endpoint.ts';
import { agentServerTables } from '../../../../src/contract/tables.ts';
import { AuthCaller, type AuthLanguage, type UserAnswer } from '../../../support/auth-caller.ts';
import type { HandlerScripts } from '../../../support/scripted-auth.ts';
import { EXPECTED, type Expectation, makeScene, type Scene } from './expectations.ts';

/** Every endpoint of a deployment that authenticates its caller, as `table.name`. */
const ENDPOINTS = Object.entries<EndpointTable>(agentServerTables).flatMap(([table, endpoints]) =>
  Object.entries(endpoints)
    .filter(([, { credentials }]) => credentials === 'deployment')
    .map(([name]) => `${table}.${name}`),
);

for (const language of ['node', 'python'] as const) describeTable(language);

function describeTable(language: AuthLanguage): void {
  describe(`the auth handlers of a project in ${language === 'node' ? 'JavaScript' : 'Python'}`, function () {
    this.timeout(60_000);
    let scene: Scene;
    let caller: AuthCaller;
    before(async function () {
      caller = await AuthCaller.start(this, language);
      scene = await makeScene(caller);
    });
    after(() => caller?.[Symbol.asyncDispose]());

    it('have an expectation for every endpoint', () => {
      assert.deepEqual(
        ENDPOINTS.filter((name) => !Object.hasOwn(EXPECTED, name)),
        [],
      );
      assert.deepEqual(
        Object.keys(EXPECTED).filter((name) => !ENDPOINTS.includes(name)),
        [],
      );
    });

    for (const [name, expected] of Object.entries(EXPECTED)) describeEndpoint(name, expected);

    function describeEndpoint(name: string, expected: Expectation): void {
      const as = async (user: string, scripts: HandlerScripts) =>
        caller.ask(user, await expected.request(scene), scripts);

      it(`are asked for ${expected.asks.join(' and ') || 'nothing'} by ${name}, and may refuse it`, async () => {
        assert.deepEqual((await as('ann', {})).asked, expected.asks);
        const { refused } = expected;
        for (const event of expected.asks) {
          const answer = await as('ann', { [event]: { refuse: true } });
          if (name === 'mcp.post' && event === 'assistants:search') continue;
          if (typeof refused === 'number') assert.equal(answer.status, refused, answer.text);
          else assert.match(answer.text, refused);
        }
      });

      it(`limit ${name} by the filters that they return`, async () => {
        await checkFiltered(await as('bob', { '*': { filters: { owner: 'bob' } } }));
        const wanted = { $eq: 'bob' };
        await checkFiltered(await as('bob', { '*': { filters: { owner: wanted } } }));
      });

      it(`limit ${name} when one handler is for everything, as in the documentation`, async () => {
        await checkFiltered(await as('bob', { '*': { owner: true } }));
        const answer = await as('ann', { '*': { owner: true } });
        const isAlwaysMissing = expected.asks.length === 0;
        assert.ok(isAlwaysMissing || answer.status < 300, `${answer.status} ${answer.text}`);
      });

      async function checkFiltered(answer: UserAnswer): Promise<void> {
        const { filtered } = expected;
        const { status, text } = answer;
        if (filtered === 'hidden') {
          assert.ok(status === 404 || /not found/i.test(text), `${status} ${text}`);
          return;
        }
        assert.ok(status < 300 || status === 101, `${status} ${text}`);
        if (filtered === 'owned') await checkOwned(answer);
        if (filtered === 'limited') {
          assert.doesNotMatch(text, /"ann"/);
          const { thread, assistant, cron } = scene;
          for (const id of [thread, assistant, cron]) assert.ok(!text.includes(id), text);
        }
        if (filtered instanceof RegExp) assert.match(text, filtered);
      }

      /** Resources that Bob created belong to him: he finds them with his filter, and Ann does not. */
      async function checkOwned({ object, json, text }: UserAnswer): Promise<void> {
        if (name.startsWith('runs.')) {
          const search = { method: 'POST', path: '/threads/search', body: { limit: 1 } };
          const [own, others] = await Promise.all(
            ['bob', 'ann'].map((user) => caller.ask(user, search, { '*': { filters: { owner: user } } })),
          );
          assert.match(own?.text ?? '', /"owner":"bob"/);
          assert.doesNotMatch(others?.text ?? '', /"owner":"bob"/);
          return;
        }
        assert.match(JSON.stringify(object.metadata ?? json), /"owner":"bob"/, text);
      }

      for (const kind of ['rewrite', 'add', 'strip'] as const) {
        const change = expected[kind];
        if (change === 'no such field') continue;
        const title = { rewrite: 'change a field', add: 'add a field', strip: 'take a field away' }[kind];
        it(`${title} of ${name}`, async () => {
          const { request, event = '*', script, seen } = await change(scene);
          await seen(await caller.ask('ann', request, { [event]: script }));
        });
      }
    }
  });
}
