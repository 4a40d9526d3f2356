import assert from 'node:assert/strict';
import { z } from 'zod';
import { AuthCaller, type AuthLanguage } from '../../../support/auth-caller.ts';
import { eventually } from '../../../support/wait.ts';

const post = (path: string, body: unknown = {}) => ({ method: 'POST', path, body });
const get = (path: string) => ({ method: 'GET', path });
const List = z.array(z.unknown());

/**
 * Filters that are not in the public documentation, or that would show too much if a part of them were
 * ignored.
 */
const UNKNOWN = [
  { owner: { $in: ['bob'] } },
  { owner: { $equals: 'bob' } },
  { owner: { $eq: 'bob', $or: [] } },
  { owner: {} },
  { owner: { id: 'bob' } },
  { owner: ['bob'] },
  { owner: null },
  { team: { $contains: [] } },
  { team: { $contains: { name: 'a' } } },
  'bob',
  ['bob'],
  1,
];

for (const language of ['node', 'python'] as const) describeFilters(language);

function describeFilters(language: AuthLanguage): void {
  describe(`filters of auth handlers in ${language === 'node' ? 'JavaScript' : 'Python'}`, function () {
    this.timeout(60_000);
    let caller: AuthCaller;
    let thread: string;
    before(async function () {
      caller = await AuthCaller.start(this, language);
      const metadata = { team: ['a', 'b'], level: 2 };
      const made = await caller.must('ann', post('/threads', { metadata }));
      thread = String(made.thread_id);
    });
    after(() => caller?.[Symbol.asyncDispose]());

    it('refuse unknown conditions with 500, and say why in the log', async () => {
      const requests = [
        post('/threads'),
        get(`/threads/${thread}`),
        post('/threads/search'),
        post('/threads/count'),
        post(`/threads/${thread}/runs/wait`, { assistant_id: 'one_node', input: {} }),
        post('/runs/batch', [{ assistant_id: 'one_node', input: {} }]),
        post('/assistants/search'),
        post('/runs/crons/search'),
        get('/store/items?namespace=n&key=k'),
        post('/store/items/search'),
      ];
      for (const filters of UNKNOWN) {
        for (const request of requests) {
          const { status, text } = await caller.ask('bob', request, { '*': { filters } });
          assert.equal(status, 500, `${request.path} ${JSON.stringify(filters)}: ${text}`);
        }
      }
      await eventually('the log says it', async () => {
        const log = (await caller.served.log()).join('\n');
        return /auth handler of threads:read returned the filter \{"owner":\{"\$in":\["bob"\]\}\}/.test(log);
      });
    });

    it('compare a value, $eq and $contains, each of them and all together', async () => {
      const sees = async (filters: object) => {
        const scripts = { '*': { filters } };
        const { status } = await caller.ask('bob', get(`/threads/${thread}`), scripts);
        const found = await caller.ask('bob', post('/threads/search'), scripts);
        assert.equal(List.parse(found.json).length, status === 200 ? 1 : 0, JSON.stringify(filters));
        return status === 200;
      };
      for (const filters of [
        { level: 2 },
        { level: { $eq: 2 } },
        { team: { $contains: 'a' } },
        { team: { $contains: ['b', 'a'] } },
        { level: 2, team: { $contains: 'b' } },
      ])
        assert.equal(await sees(filters), true, JSON.stringify(filters));
      for (const filters of [
        { level: 3 },
        { level: '2' },
        { owner: 'bob' },
        { owner: { $eq: 'bob' } },
        { team: 'a' },
        { team: { $contains: 'c' } },
        { team: { $contains: ['a', 'c'] } },
        { level: 2, team: { $contains: 'c' } },
      ])
        assert.equal(await sees(filters), false, JSON.stringify(filters));
    });

    it('limit a search of the store by its items’ values, beside the caller’s filter', async () => {
      for (const owner of ['ann', 'bob']) {
        const body = { namespace: ['notes'], key: owner, value: { owner, level: 2 } };
        await caller.must(owner, { method: 'PUT', path: '/store/items', body });
      }
      const found = async (filter: object) => {
        const body = { namespace_prefix: ['notes'], filter };
        const { object } = await caller.ask('bob', post('/store/items/search', body), {
          '*': { owner: true },
        });
        return z
          .array(z.looseObject({ key: z.string() }))
          .parse(object.items)
          .map(({ key }) => key);
      };
      assert.deepEqual(await found({}), ['bob']);
      assert.deepEqual(await found({ level: 2 }), ['bob']);
      const contains = { '*': { filters: { namespace: { $contains: 'bob' } } } };
      const item = get('/store/items?namespace=notes&key=bob');
      for (const request of [item, post('/store/items/search', { namespace_prefix: [] })])
        assert.equal((await caller.ask('bob', request, contains)).status, 500, request.path);
      for (const own of ['bob', { $eq: 'bob' }, { $ne: 'ann' }, { $gte: 'a' }])
        assert.deepEqual(await found({ owner: own }), ['bob'], JSON.stringify(own));
      for (const other of [
        'ann',
        { $eq: 'ann' },
        { $ne: 'bob' },
        { $in: ['ann'] },
        ['ann'],
        null,
        { ann: 1 },
      ])
        assert.deepEqual(await found({ owner: other }), [], JSON.stringify(other));
    });

    it('let a user cancel no runs of others, however little the request specifies', async () => {
      const waiting = { assistant_id: 'one_node', input: {}, after_seconds: 1000 };
      const { run_id } = await caller.must('ann', post(`/threads/${thread}/runs`, waiting));
      for (const body of [{}, { status: 'all' }, { status: 'pending' }, { status: null }, { run_ids: [] }]) {
        const { status } = await caller.ask('bob', post('/runs/cancel', body), {
          '*': { filters: { owner: 'bob' } },
        });
        assert.equal(status, 403, JSON.stringify(body));
      }
      assert.equal((await caller.must('ann', get(`/threads/${thread}/runs/${run_id}`))).status, 'pending');
      await caller.must('ann', post(`/threads/${thread}/runs/${run_id}/cancel`));
    });

    it('of threads keep a cron of another user away from a thread, whatever the handlers of crons say', async () => {
      const cron = { assistant_id: 'one_node', input: {}, schedule: '0 0 1 1 *' };
      const scripts = { 'threads:read': { filters: { owner: 'bob' } } };
      assert.equal(
        (await caller.ask('bob', post(`/threads/${thread}/runs/crons`, cron), scripts)).status,
        404,
      );
      assert.equal((await caller.ask('bob', post(`/threads/${thread}/copy`), scripts)).status, 404);
    });

    it('are those of reading a thread for a task of A2A', async () => {
      const data = { kind: 'data', data: { value: 1 } };
      const message = { role: 'user', messageId: '1', parts: [data] };
      const rpc = (method: string, params: object) =>
        post('/a2a/one_node', { jsonrpc: '2.0', id: '1', method, params });
      const scripts = { '*': { filters: { owner: 'ann' } } };
      const sent = await caller.must('ann', rpc('message/send', { message }), scripts);
      const { id } = z.looseObject({ id: z.string() }).parse(sent.result);
      const task = async (name: string) => {
        const reading = { 'threads:read': { filters: { owner: name } } };
        return (await caller.ask(name, rpc('tasks/get', { id }), reading)).text;
      };
      assert.match(await task('ann'), /"result"/);
      assert.match(await task('bob'), /-32001/);
    });
  });
}
