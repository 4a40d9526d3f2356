import assert from 'node:assert/strict';
import { z } from 'zod';
import { type ServedProject, serveProject } from './served-project.ts';
import { eventually } from './wait.ts';

/**
 * Declares the tests of the limits in a mocha suite. @param open makes the database of a team; a server with one folder
 * needs none.
 */
export function testLimits(open?: (suite: Mocha.Context) => Promise<string>): void {
  let served: ServedProject;
  before(async function () {
    this.timeout(180_000);
    const database = await open?.(this);
    // Traces of its own runs would also count, at unpredictable times.
    served = await serveProject({ database, config: { env: { AGENT_HARBOR_TRACING: 'off' } } });
  });
  after(() => served?.[Symbol.asyncDispose]());

  const platform = async (method: string, route: string, body?: unknown, key = served.apiKey) => {
    const answer = await fetch(`${served.platformUrl}${route}`, {
      method,
      headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return {
      status: answer.status,
      text: await answer.text(),
      retryAfter: answer.headers.get('retry-after'),
    };
  };
  const set = async (limits: object) => {
    const { status, text } = await platform('PATCH', '/harbor/limits', limits);
    assert.equal(status, 200, text);
    return JSON.parse(text);
  };
  const agent = async (route: string, body: object) => {
    const answer = await fetch(`${served.url}${route}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return {
      status: answer.status,
      text: await answer.text(),
      retryAfter: answer.headers.get('retry-after'),
    };
  };
  const newThread = async () => {
    const { status, text } = await agent('/threads', {});
    assert.equal(status, 200, text);
    return z.object({ thread_id: z.string() }).parse(JSON.parse(text)).thread_id;
  };

  it('are none until the owner sets some, which others may only read', async () => {
    const none = {
      max_unfinished_runs: null,
      max_threads: null,
      max_storage_bytes: null,
      max_ingestions_per_minute: null,
      max_ingestion_bytes: null,
      audit_days: null,
    };
    assert.deepEqual(JSON.parse((await platform('GET', '/harbor/limits')).text), none);
    assert.deepEqual(await set({ max_threads: 7 }), { ...none, max_threads: 7 });
    const made = await platform('POST', '/api-key', { rights: ['read', 'admin', 'run', 'trace'] });
    const { key } = z.object({ key: z.string() }).parse(JSON.parse(made.text));
    assert.equal(JSON.parse((await platform('GET', '/harbor/limits', undefined, key)).text).max_threads, 7);
    assert.equal((await platform('PATCH', '/harbor/limits', { max_threads: null }, key)).status, 403);
    assert.deepEqual(await set({ max_threads: null }), none);
    for (const wrong of [{ max_threads: 0 }, { max_thread: 5 }, { max_unfinished_runs: '5' }])
      assert.equal((await platform('PATCH', '/harbor/limits', wrong)).status, 422, JSON.stringify(wrong));
  });

  it('refuse runs beyond the number that may be unfinished, even in a batch, until some have ended', async () => {
    const [one, two] = [await newThread(), await newThread()];
    await set({ max_unfinished_runs: 2 });
    const slow = { assistant_id: 'slow', input: { ms: 120_000 } };
    assert.equal((await agent(`/threads/${one}/runs`, slow)).status, 200);
    const batch = await agent('/runs/batch', [slow, slow] as never);
    assert.equal(batch.status, 429, batch.text);
    const second = await agent(`/threads/${two}/runs`, slow);
    assert.equal(second.status, 200);
    const { run_id } = z.object({ run_id: z.string() }).parse(JSON.parse(second.text));
    const third = await agent('/runs/wait', { assistant_id: 'one_node', input: { value: 1 } });
    assert.equal(third.status, 429);
    assert.equal(third.retryAfter, '5');
    assert.match(third.text, /The limit of unfinished runs of this workspace is 2\. Try again/);
    assert.equal((await agent(`/threads/${two}/runs/${run_id}/cancel?wait=true`, {})).status < 300, true);
    const after = await agent('/runs/wait', { assistant_id: 'one_node', input: { value: 1 } });
    assert.deepEqual([after.status, JSON.parse(after.text)], [200, { value: 2 }]);
    await set({ max_unfinished_runs: null });
  });

  it('refuse threads beyond the number that may exist, even when copied or created for a run', async () => {
    const thread = await newThread();
    await set({ max_threads: 1 });
    const run = { assistant_id: 'one_node', input: { value: 1 } };
    for (const refused of [
      await agent('/threads', {}),
      await agent(`/threads/${thread}/copy`, {}),
      await agent(`/threads/${crypto.randomUUID()}/runs`, { ...run, if_not_exists: 'create' }),
    ]) {
      assert.equal(refused.status, 429, refused.text);
      assert.match(refused.text, /The limit of threads of this workspace is 1\. Delete some/);
    }
    assert.equal((await agent(`/threads/${thread}/runs/wait`, run)).status, 200, 'it has its thread already');
    await set({ max_threads: null });
    await newThread();
  });

  it('refuse requests that would store more than a workspace may, but nothing that was accepted before', async () => {
    const thread = await newThread();
    const item = (key: string) => ({ namespace: ['here'], key, value: { text: 'x'.repeat(20_000) } });
    const put = async (key: string, method = 'PUT') => {
      const answer = await fetch(`${served.url}/store/items`, {
        method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(method === 'PUT' ? item(key) : { namespace: ['here'], key }),
      });
      return { status: answer.status, text: await answer.text() };
    };
    assert.equal((await put('one')).status, 204);
    const trace = {
      id: crypto.randomUUID(),
      name: 'a run',
      run_type: 'chain',
      inputs: { text: Array.from({ length: 900 }, () => crypto.randomUUID()).join('') },
      start_time: new Date().toISOString(),
    };
    assert.equal((await platform('POST', '/runs', trace)).status, 202);
    // The refusal contains the stored size of the workspace.
    await set({ max_storage_bytes: 1 });
    const stored = async () => {
      const { status, text } = await put('two');
      assert.equal(status, 429, text);
      return Number(/The workspace stores (\d+) bytes/.exec(text)?.[1]);
    };
    await eventually('the trace to count', async () => ((await stored()) > 35_000 ? true : undefined));
    const before = await stored();
    const dataset = z
      .object({ id: z.string() })
      .parse(JSON.parse((await platform('POST', '/datasets', { name: 'with files' })).text));
    const example = crypto.randomUUID();
    const form = new FormData();
    const jsonPart = new Blob(['{}'], { type: 'application/json' });
    for (const name of [example, `${example}.inputs`]) form.append(name, jsonPart);
    form.append(`${example}.attachment.scan`, new Blob(['x'.repeat(30_000)], { type: 'text/plain' }));
    const uploaded = await fetch(`${served.platformUrl}/v1/platform/datasets/${dataset.id}/examples`, {
      ...{ method: 'POST', headers: { 'x-api-key': served.apiKey }, body: form },
    });
    assert.ok(uploaded.ok, await uploaded.text());
    await eventually('the file of an example to count', async () => (await stored()) >= before + 30_000);
    const slow = { assistant_id: 'slow', input: { ms: 3_000 } };
    await set({ max_storage_bytes: null });
    const accepted = await agent(`/threads/${thread}/runs`, slow);
    const { run_id } = z.object({ run_id: z.string() }).parse(JSON.parse(accepted.text));
    await set({ max_storage_bytes: 20_000 });
    for (const refused of [
      await agent('/threads', {}),
      await agent(`/threads/${thread}/runs`, { ...slow, multitask_strategy: 'enqueue' }),
      await agent('/runs/wait', slow),
      await platform('POST', '/runs', { ...trace, id: crypto.randomUUID() }),
      await put('two'),
    ]) {
      assert.equal(refused.status, 429, refused.text);
      assert.match(refused.text, /its limit \(max_storage_bytes\) is 20000\. Delete threads/);
    }
    const metrics = (await platform('GET', '/metrics')).text;
    assert.match(metrics, /harbor_workspace_storage_bytes\{workspace_id="[^"]+"\} [1-9]/);
    assert.match(metrics, /harbor_workspace_storage_limit_bytes\{workspace_id="[^"]+"\} 20000\n/);
    const run = await eventually('the run that was accepted to end', async () => {
      const answer = await fetch(`${served.url}/threads/${thread}/runs/${run_id}`);
      const { status } = z.object({ status: z.string() }).parse(await answer.json());
      return status === 'pending' || status === 'running' ? undefined : status;
    });
    assert.equal(run, 'success');
    assert.equal((await put('one', 'DELETE')).status, 204, 'deleting makes room');
    await set({ max_storage_bytes: 10_000_000 });
    assert.equal((await put('two')).status, 204);
    await set({ max_storage_bytes: null });
  });

  it('refuse traces that come too often or are too large at once, whichever way they come', async () => {
    const trace = (text: string) => ({
      id: crypto.randomUUID(),
      name: 'a run',
      run_type: 'chain',
      inputs: { text },
      start_time: new Date().toISOString(),
    });
    await set({ max_ingestion_bytes: 2_000 });
    assert.equal((await platform('POST', '/runs', trace('short'))).status, 202);
    const spans = (text: string) => ({
      resourceSpans: [
        { scopeSpans: [{ spans: [{ name: text, traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }] }] },
      ],
    });
    for (const [route, body] of [
      ['/runs', trace('x'.repeat(3_000))],
      ['/runs/batch', { post: [trace('x'.repeat(3_000))] }],
      ['/otel/v1/traces', spans('x'.repeat(3_000))],
    ] as const) {
      const { status, text } = await platform('POST', route, body);
      assert.equal(status, 413, `${route}: ${text}`);
      assert.match(text, /bytes of traces, and the workspace may send 2000 at a time/);
    }
    await set({ max_ingestion_bytes: null, max_ingestions_per_minute: 1 });
    const first = await platform('POST', '/runs', trace('first'));
    assert.equal(first.status, 202, first.text);
    const second = await platform('POST', '/runs', trace('second'));
    assert.equal(second.status, 429);
    assert.ok(Number(second.retryAfter) >= 1);
    assert.match(second.text, /Too many requests with traces of the workspace: the limit is 1 per minute/);
    await set({ max_ingestions_per_minute: null });
    assert.equal((await platform('POST', '/runs', trace('third'))).status, 202);
  });
}
