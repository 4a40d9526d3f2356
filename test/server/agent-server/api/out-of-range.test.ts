import assert from 'node:assert/strict';
import { type ServedProject, serveProject } from '../../../support/served-project.ts';

describe('an agent server with values out of range', function () {
  this.timeout(60_000);
  let served: ServedProject;
  let thread: string;
  before(async () => {
    served = await serveProject();
    thread = ((await (await send('POST', '/threads', {})).json()) as { thread_id: string }).thread_id;
  });
  after(() => served?.[Symbol.asyncDispose]());

  /** @param body JSON text, for values that `JSON.stringify` cannot write */
  const send = (method: string, route: string, body: unknown) =>
    fetch(`${served.url}${route}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  it('refuses a too long wait or lifetime, and names the field', async () => {
    const run = { assistant_id: 'approval', input: {}, after_seconds: 9e12 };
    for (const [method, route, body, field] of [
      ['POST', '/runs', run, 'after_seconds'],
      ['POST', '/runs/wait', run, 'after_seconds'],
      ['POST', '/runs/stream', run, 'after_seconds'],
      ['POST', `/threads/${thread}/runs`, run, 'after_seconds'],
      ['POST', `/threads/${thread}/runs/wait`, run, 'after_seconds'],
      ['POST', `/threads/${thread}/runs/stream`, run, 'after_seconds'],
      ['POST', '/threads', { ttl: 1e15 }, 'ttl'],
      ['POST', '/threads', { ttl: { ttl: 1e15, strategy: 'delete' } }, 'ttl'],
      ['PATCH', `/threads/${thread}`, { ttl: 1e15 }, 'ttl'],
      ['PUT', '/store/items', { namespace: ['a'], key: 'k', value: {}, ttl: 1e15 }, 'ttl'],
    ] as const) {
      const response = await send(method, route, body);
      assert.equal(response.status, 422, `${method} ${route}`);
      const { detail } = (await response.json()) as { detail: { loc: string[]; msg: string }[] };
      assert.equal(detail[0]?.loc[1], field, JSON.stringify(detail));
      assert.match(detail[0]?.msg ?? '', /a hundred years/);
    }
  });

  it('stores metadata with keys such as constructor, and finds threads by them', async () => {
    const metadata = '{"constructor":"a","toString":"b","hasOwnProperty":"c"}';
    for (const body of [`{"metadata":${metadata}}`, '{"metadata":{"__proto__":"x","constructor":"d"}}']) {
      for (const [method, route] of [
        ['POST', '/threads'],
        ['PATCH', `/threads/${thread}`],
        ['PATCH', `/threads/${thread}/state`],
      ] as const) {
        const response = await send(method, route, body);
        assert.ok(response.status < 500, `${method} ${route}: ${await response.text()}`);
      }
    }
    const found = await send('POST', '/threads/search', `{"metadata":{"constructor":"d"}}`);
    const ids = ((await found.json()) as { thread_id: string }[]).map(({ thread_id }) => thread_id);
    assert.ok(ids.includes(thread));
  });

  it('searches among any number of IDs, and by a limited number of keys', async () => {
    const ids = Array.from({ length: 40_000 }, () => crypto.randomUUID());
    const found = await send('POST', '/threads/search', { ids: [...ids, thread], select: ['thread_id'] });
    assert.deepEqual(await found.json(), [{ thread_id: thread }]);
    const metadata = Object.fromEntries(ids.map((id) => [id, 1]));
    const refused = await send('POST', '/threads/search', { metadata });
    assert.equal(refused.status, 422);
    assert.match(await refused.text(), /at most 200 keys/);
  });
});
