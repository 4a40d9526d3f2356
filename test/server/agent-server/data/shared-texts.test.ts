import assert from 'node:assert/strict';
import { z } from 'zod';
import { type Postgres, requirePostgres } from '../../../support/postgres.ts';
import { type ServedProject, serveProject } from '../../../support/served-project.ts';

/** Texts that JSON can contain, but text in PostgreSQL cannot. */
const TEXTS = { 'a null character': 'a\0b', 'half of a surrogate pair': 'c\ud800d' };
const GRAPH = 'one_node';

type Request = readonly [method: string, route: string, body?: object];

describe('text that PostgreSQL cannot store, in a database of a team', function () {
  this.timeout(120_000);
  let postgres: Postgres;
  let served: ServedProject;
  before(async function () {
    postgres = await requirePostgres(this);
    served = await serveProject({ database: await postgres.createDatabase() });
  });
  after(async () => {
    await served?.[Symbol.asyncDispose]();
    await postgres?.[Symbol.asyncDispose]();
  });

  const send = async (...[method, route, body]: Request): Promise<{ status: number; answer: unknown }> => {
    const response = await fetch(`${served.url}${route}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, answer: text === '' ? undefined : JSON.parse(text) };
  };
  const accept = async <Schema extends z.ZodType>(schema: Schema, ...request: Request) => {
    const { status, answer } = await send(...request);
    assert.ok(status < 300, `${request.join(' ')}: ${status} ${JSON.stringify(answer)}`);
    return schema.parse(answer);
  };

  for (const [what, text] of Object.entries(TEXTS)) {
    const odd = { [text]: text, list: [text] };
    const Odd = z.object({ metadata: z.looseObject({ [text]: z.literal(text) }) });

    it(`is returned unchanged in JSON, and can be searched for: ${what}`, async () => {
      const Thread = Odd.extend({ thread_id: z.string() });
      const { thread_id } = await accept(Thread, 'POST', '/threads', { metadata: odd });
      const own = `/threads/${thread_id}`;
      const run = {
        assistant_id: GRAPH,
        input: { value: text },
        metadata: odd,
        config: { tags: [text], configurable: odd },
      };
      const State = z.object({ values: z.object({ value: z.unknown() }) });
      await accept(z.unknown(), 'POST', `${own}/runs/wait`, run);
      const [ended] = await accept(z.array(Odd.extend({ status: z.string() })), 'GET', `${own}/runs`);
      assert.equal(ended?.status, 'success');
      await accept(z.unknown(), 'POST', `${own}/state`, { values: { value: text }, as_node: 'add' });
      assert.deepEqual((await accept(State, 'GET', `${own}/state`)).values.value, text);
      const copy = await accept(Thread, 'POST', `${own}/copy`);
      assert.deepEqual((await accept(State, 'GET', `/threads/${copy.thread_id}/state`)).values.value, text);
      // Gives the copy its own rows.
      await accept(z.unknown(), 'DELETE', own);
      assert.deepEqual((await accept(State, 'GET', `/threads/${copy.thread_id}/state`)).values.value, text);
      await accept(z.unknown(), 'POST', '/assistants', { graph_id: GRAPH, metadata: odd, context: odd });
      const cron = { assistant_id: GRAPH, schedule: '0 0 1 1 *', metadata: odd, input: odd };
      await accept(z.unknown(), 'POST', '/runs/crons', cron);
      for (const route of ['/threads/search', '/assistants/search', '/runs/crons/search'])
        assert.equal((await accept(z.array(Odd), 'POST', route, { metadata: odd })).length, 1, route);
      const item = { namespace: ['n'], key: 'k', value: odd };
      await accept(z.unknown(), 'PUT', '/store/items', item);
      const found = await accept(
        z.object({ items: z.array(z.object({ value: z.unknown() })) }),
        'POST',
        '/store/items/search',
        {
          namespace_prefix: ['n'],
          filter: { list: [text] },
        },
      );
      assert.deepEqual(found.items, [{ value: odd }]);
    });

    it(`fails no request that searches for it: ${what}`, async () => {
      const { thread_id } = await accept(z.object({ thread_id: z.string() }), 'POST', '/threads', {});
      const own = `/threads/${thread_id}`;
      const inPath = encodeURIComponent(text.toWellFormed());
      const requests: Request[] = [
        ['POST', '/assistants/search', { name: text, graph_id: text }],
        ['POST', '/assistants/count', { name: text }],
        ['POST', '/threads/search', { values: odd }],
        ['POST', `${own}/runs/wait`, { assistant_id: text }],
        ['POST', `${own}/history`, { checkpoint: { checkpoint_ns: text } }],
        ['POST', `${own}/history`, { before: text }],
        ['POST', `${own}/history`, { metadata: odd }],
        ['POST', `${own}/state/checkpoint`, { checkpoint: { checkpoint_id: text, checkpoint_ns: text } }],
        ['GET', `${own}/state/${inPath}`],
        ['GET', `/store/items?namespace=n&key=${inPath}`],
        ['DELETE', '/store/items', { namespace: ['n'], key: text }],
        ['POST', '/store/items/search', { namespace_prefix: [text] }],
        ['POST', '/store/namespaces', { prefix: [text], suffix: [text] }],
        ['POST', '/runs/crons/search', { assistant_id: text }],
      ];
      for (const request of requests) {
        const { status, answer } = await send(...request);
        assert.ok(status < 500, `${request.join(' ')}: ${status} ${JSON.stringify(answer)}`);
      }
    });
  }

  it('is refused in names, by the field', async () => {
    const name = TEXTS['a null character'];
    const refused: Record<string, Request> = {
      name: ['POST', '/assistants', { graph_id: GRAPH, name }],
      description: ['POST', '/assistants', { graph_id: GRAPH, description: name }],
      'namespace.0': ['PUT', '/store/items', { namespace: [name], key: 'k', value: {} }],
      key: ['PUT', '/store/items', { namespace: ['n'], key: name, value: {} }],
    };
    for (const [field, request] of Object.entries(refused)) {
      const { status, answer } = await send(...request);
      assert.equal(status, 422, field);
      const { message } = z.object({ message: z.string() }).parse(answer);
      assert.equal(message, `body.${field}: Must not contain null characters.`);
    }
  });
});
