import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Client } from '../../../src/client/client.ts';
import { createDispatcher } from '../../../src/client/dispatcher.ts';
import { readTraceTree } from '../../../src/client/trace-tree.ts';
import { readSpans } from '../../../src/extension/panels/trace/read-spans.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { newRun, postParts, runNames, sendParts, sessionId, type TestRun } from '../../support/traces.ts';

describe('run queries', () => {
  let platform: Platform;
  let session: string;
  const start = Date.now() - 3_600_000;
  const later = (ms: number) => new Date(start + ms).toISOString();
  let root: TestRun;
  const dispatcher = createDispatcher();
  let client: Client;

  before(async () => {
    platform = await startPlatform();
    client = new Client({
      dispatcher,
      connection: {
        baseUrl: platform.url,
        controlPlaneUrl: platform.url,
        credentials: { apiKey: platform.workspace.key },
      },
    });
    root = newRun({ at: start, name: 'agent', end_time: later(9_000), tags: ['prod', 'v2'] });
    const model = newRun({
      parent: root,
      at: start + 1000,
      name: 'model',
      run_type: 'llm',
      end_time: later(3_000),
    });
    const tool = newRun({
      parent: root,
      at: start + 4000,
      name: 'tool',
      run_type: 'tool',
      end_time: later(4_200),
    });
    const other = newRun({ at: start + 60_000, name: 'other', end_time: later(61_000) });
    const pending = newRun({ at: start + 120_000, name: 'pending' });
    const usage = { input_tokens: 100, output_tokens: 20, total_tokens: 120, total_cost: 0.5 };
    const parts = [
      ...postParts(root, {
        inputs: { question: 'Where do refunds go?' },
        extra: { metadata: { user: 'u1', plan: 'free', n: 3 } },
      }),
      ...postParts(model, {
        outputs: { text: 'To the customer.', tool: 'get_weather', robot: '🤖', dish: 'cre\u0301me' },
        extra: { metadata: { usage_metadata: usage } },
      }),
      ...postParts(tool, { error: 'Error: no such page' }),
      ...postParts(other, {
        inputs: { question: 'Who pays?' },
        extra: { metadata: { user: 'u2', plan: 'free', thread_id: 't1' } },
      }),
      ...postParts(pending),
    ];
    assert.equal((await sendParts(platform, parts)).status, 202);
    session = await sessionId(platform, 'test');
    await platform.fetch('/feedback', {
      method: 'POST',
      body: { key: 'good', run_id: root.id, score: 0.9, value: 'fine', comment: 'fine' },
    });
  });
  after(async () => {
    await platform.close();
    await dispatcher.close();
  });

  let fresh = '';
  const named = (query: object) => runNames(platform, { session: [session], ...query });
  const filtered = async (filter: string) => (await named({ filter })).sort();

  const filters: [string, string[]][] = [
    ['eq(run_type, "llm")', ['model']],
    ['neq(run_type, "chain")', ['model', 'tool']],
    ['in(name, ["agent", "tool"])', ['agent', 'tool']],
    ['eq(is_root, true)', ['agent', 'other', 'pending']],
    ['and(eq(is_root, false), gt(latency, 1))', ['model']],
    ['gte(latency, "2s")', ['agent', 'model']],
    ['lt(latency, "500ms")', ['tool']],
    ['eq(status, "pending")', ['pending']],
    ['eq(error, True)', ['tool']],
    ['has(tags, "prod")', ['agent']],
    ['and(eq(metadata_key, "user"), eq(metadata_value, "u1"))', ['agent']],
    ['and(eq(metadata_key, "n"), eq(metadata_value, 3))', ['agent']],
    ['eq(metadata_key, "plan")', ['agent', 'other']],
    [
      'and(eq(metadata_key, "user"), eq(metadata_value, "u1"), eq(metadata_key, "plan"), eq(metadata_value, "free"))',
      ['agent'],
    ],
    [`has(metadata, '{"user": "u2", "plan": "free"}')`, ['other']],
    ['eq(thread_id, "t1")', ['other']],
    ['and(eq(is_root, true), eq(extra.metadata.thread_id, "t1"))', ['other']],
    ['neq(metadata.user, "u1")', ['other']],
    ['gt(metadata.n, 2)', ['agent']],
    ['exists(metadata.plan)', ['agent', 'other']],
    ['and(eq(feedback_key, "good"), gt(feedback_score, 0.5))', ['agent']],
    ['and(eq(feedback_key, "good"), lt(feedback_score, 0.5))', []],
    ['gt(feedback_score, "0.5")', ['agent']],
    ['eq(feedback_comment, 1)', []],
    ['eq(feedback_value, true)', []],
    ['gt(total_tokens, 100)', ['model']],
    ['search("refunds")', ['agent']],
    ['search("CUSTOMER")', ['model']],
    ['search("refund*")', ['agent']],
    ['search("refunds nowhere")', []],
    ['search("get_weather")', ['model']],
    ['search("get_wea*")', ['model']],
    ['search("get_rain")', []],
    ['search("🤖")', ['model']],
    ['search("crème")', ['model']],
    ['search("Cr\u0312em ᦰᦱ 305\u0305x")', []],
    ['eq("run_type", "llm")', ['model']],
    ['and(eq("feedback_key", "good"), gt("feedback_score", 0.5))', ['agent']],
    [`has("metadata", '{"user": "u1"}')`, ['agent']],
    ['or(search("refunds"), eq(name, "tool"))', ['agent', 'tool']],
    ['not(search("refunds"))', ['model', 'other', 'pending', 'tool']],
    [`gt(start_time, "${later(30_000)}")`, ['other', 'pending']],
    ['like(name, "%en%")', ['agent', 'pending']],
    ['and(eq(feedback_key, "good"), eq(feedback_value, "fine"))', ['agent']],
    ['and(eq(feedback_key, "good"), eq(feedback_source, "api"))', ['agent']],
    ['neq(feedback_key, "good")', ['model', 'other', 'pending', 'tool']],
    ['and(eq(metadata_key, "n"), gt(metadata_value, 20))', []],
    ['and(eq(metadata_key, "n"), lt(metadata_value, 20))', ['agent']],
    ['neq(metadata_key, "user")', ['model', 'pending', 'tool']],
    ['and(eq(metadata_key, "user"), neq(metadata_value, "u1"))', ['other']],
    ['and(neq(metadata_key, "user"), neq(metadata_value, "u1"))', ['model', 'pending', 'tool']],
    ['and(neq(metadata_key, "thread_id"), eq(metadata_value, "u1"))', ['agent']],
    ['neq(thread_id, "t1")', ['agent', 'model', 'pending', 'tool']],
    ['neq(tags, "prod")', ['model', 'other', 'pending', 'tool']],
    ['search(inputs, "refunds")', ['agent']],
    ['has(outputs, "refunds")', []],
    ['neq(inputs, "refunds")', ['model', 'other', 'pending', 'tool']],
    ['exists(error)', ['tool']],
    ['eq(error, null)', ['agent', 'model', 'other', 'pending']],
    ['neq(error, null)', ['tool']],
    ['eq(parent_run_id, null)', ['agent', 'other', 'pending']],
    ['and(eq(thread_id, "t1"), eq(metadata_key, "plan"), eq(metadata_value, "none"))', []],
    ['and(eq(metadata_key, "plan"), eq(metadata_value, "free"), eq(thread_id, "t1"))', ['other']],
    [`and(has(metadata, '{"plan": "free"}'), has(metadata, '{"user": "u1"}'))`, ['agent']],
    ['exists(thread_id)', ['other']],
    ['eq(thread_id, null)', ['agent', 'model', 'pending', 'tool']],
    ['eq(execution_order, 1)', ['agent', 'other', 'pending']],
    ['neq(name, ["agent", "tool"])', ['model', 'other', 'pending']],
    [`in(name, ['agent', 'say \\\\"hi\\\\"'])`, ['agent']],
  ];
  for (const [filter, expected] of filters) {
    it(`understand ${filter.length > 90 ? `${filter.slice(0, 90)}…` : filter.replace(/"\d{4}-.*?"/, '"…"')}`, async () => {
      assert.deepEqual(await filtered(filter), expected);
    });
  }

  it('find projects and datasets by exact parts of their names', async () => {
    const names = ['half_done', 'halfXdone', '50% done'];
    for (const route of ['/sessions', '/datasets']) {
      for (const name of names) await platform.fetch(route, { method: 'POST', body: { name } });
      const found = async (text: string) => {
        const answer = await platform.fetch(`${route}?name_contains=${encodeURIComponent(text)}`);
        return ((await answer.json()) as { name: string }[]).map(({ name }) => name);
      };
      assert.deepEqual(await found('f_d'), ['half_done']);
      assert.deepEqual(await found('0%'), ['50% done']);
      assert.deepEqual((await found('DONE')).toSorted(), names.toSorted());
    }
  });

  it('find configurations of feedback by exact parts of their keys', async () => {
    for (const feedback_key of ['half_done', 'halfXdone'])
      await platform.fetch('/feedback-configs', {
        method: 'POST',
        body: { feedback_key, feedback_config: { type: 'continuous', min: 0, max: 1 } },
      });
    const found = async (text: string) => {
      const answer = await platform.fetch(`/feedback-configs?name_contains=${encodeURIComponent(text)}`);
      return ((await answer.json()) as { feedback_key: string }[]).map(({ feedback_key }) => feedback_key);
    };
    assert.deepEqual(await found('f_d'), ['half_done']);
    assert.deepEqual((await found('DONE')).toSorted(), ['halfXdone', 'half_done']);
  });

  it('return the messages of a conversation, and of a run', async () => {
    const user = { role: 'user', content: 'Where is it?' };
    const ai = { type: 'ai', content: 'In the post.', id: 'm2' };
    const asked = newRun({ at: start, session_name: 'talk' });
    const again = newRun({ at: start + 1000, session_name: 'talk' });
    const extra = { metadata: { thread_id: 'a talk/1' } };
    await sendParts(platform, [
      ...postParts(again, { inputs: { messages: [{ role: 'user', content: 'Where?' }] }, extra }),
      ...postParts(asked, { inputs: { messages: [user] }, outputs: { messages: [user, ai] }, extra }),
    ]);
    const read = async (path: string): Promise<unknown> => (await platform.fetch(path)).json();
    const messages = [user, { role: 'assistant', content: 'In the post.', id: 'm2' }];
    const run = await read(`/runs/${asked.id}?include_messages=true`);
    assert.deepEqual(Object(run).messages, messages);
    assert.equal('messages' in Object(await read(`/runs/${asked.id}`)), false);
    const inTalk = `session_id=${await sessionId(platform, 'talk')}`;
    const thread = await read(`/runs/threads/a%20talk%2F1?select=all_messages&${inTalk}`);
    const expected = [...messages, { role: 'user', content: 'Where?' }];
    assert.deepEqual(thread, {
      previews: { all_messages: expected.map((message) => JSON.stringify(message)).join('\n\n') },
    });
    assert.deepEqual(await read(`/runs/threads/nobody?${inTalk}`), {
      detail: "Thread 'nobody' not found.",
    });
    assert.match(
      JSON.stringify(await read(`/runs/threads/nobody?select=human_ai_pairs&${inTalk}`)),
      /"select".*Only 'all_messages' can be selected/,
    );
  });

  it('count all conversations of a project on every page, even after the last one', async () => {
    const talks = ['one', 'two', 'three'].map((thread_id) =>
      postParts(newRun({ session_name: 'counted' }), { extra: { metadata: { thread_id } } }),
    );
    await sendParts(platform, talks.flat());
    const session_id = await sessionId(platform, 'counted');
    const page = async (offset: number) => {
      const body = { session_id, group_by: 'conversation', limit: 2, offset };
      const response = await platform.fetch('/runs/group', { method: 'POST', body });
      const { groups, total } = (await response.json()) as { groups: object[]; total: number };
      return [groups.length, total];
    };
    assert.deepEqual(
      [await page(0), await page(2), await page(4), await page(40)],
      [
        [2, 3],
        [1, 3],
        [0, 3],
        [0, 3],
      ],
    );
  });

  it('find no feedback of an empty list of runs', async () => {
    const answer = await platform.fetch('/feedback?run=');
    assert.deepEqual([answer.status, await answer.json()], [200, []]);
  });

  it('find runs by their words as soon as they are acknowledged, from any client', async () => {
    const count = async (route: string, body: object): Promise<number> => {
      const answer = (await (await platform.fetch(route, { method: 'POST', body })).json()) as {
        run_count?: number;
        runs?: unknown[];
        items?: unknown[];
      };
      return answer.run_count ?? answer.runs?.length ?? answer.items?.length ?? 0;
    };
    for (const [word, ask] of [
      ['aardvark', (filter: string) => count('/runs/query', { session: [fresh], filter })],
      ['badger', (filter: string) => count('/runs/stats', { session: [fresh], filter })],
      ['capybara', (filter: string) => count('/api/v2/runs/query', { project_ids: [fresh], filter })],
    ] as const) {
      for (const filter of [
        `search("${word}")`,
        `has(inputs, "${word}again")`,
        `has(input, "${word}thrice")`,
      ]) {
        const run = newRun({ session_name: 'moment' });
        const inputs = { animals: filter.replaceAll(/\W+/g, ' ') };
        assert.equal((await sendParts(platform, postParts(run, { inputs }))).status, 202);
        fresh ||= await sessionId(platform, 'moment');
        assert.ok((await ask(filter)) > 0, `${word}: ${filter}`);
      }
    }
  });

  it('filter by the root and by any run of a trace', async () => {
    assert.deepEqual((await named({ trace_filter: 'eq(name, "agent")', is_root: false })).sort(), [
      'model',
      'tool',
    ]);
    assert.deepEqual(await named({ tree_filter: 'eq(run_type, "tool")', is_root: true }), ['agent']);
    assert.deepEqual((await named({ trace_filter: 'has(tags, "prod")' })).sort(), ['agent', 'model', 'tool']);
  });

  it('support full-text search for names as in code', async () => {
    assert.deepEqual(await named({ query: 'get_weather' }), ['model']);
    assert.deepEqual(await named({ query: 'user_id' }), []);
  });

  it('accept more values than SQLite allows as parameters', async () => {
    const ids = Array.from({ length: 40_000 }, () => crypto.randomUUID());
    assert.deepEqual(await named({ id: [...ids, root.id] }), ['agent']);
    assert.deepEqual(await filtered(`in(name, ${JSON.stringify([...ids.slice(0, 20_000), 'tool'])})`), [
      'tool',
    ]);
    assert.deepEqual(await runNames(platform, { session: [...ids, session], is_root: true, limit: 1 }), [
      'pending',
    ]);
  });

  it('parse a long filter, and one with many spaces, quickly', async () => {
    const filter = `in(name, [${'"a",'.repeat(20_000)}${' '.repeat(200_000)}"tool"])`;
    assert.deepEqual(await filtered(filter), ['tool']);
  });

  it('report the position of an error in a filter', async () => {
    for (const [filter, message] of [
      ['search(error, "page")', /eq\(error, true\) \(at character 1\)/],
      ['eq(name "x")', /expected .* instead of .* \(at character 9\)/],
      ['eq(nothing, 1)', /unknown field 'nothing'/],
      ['gt(execution_order, 1)', /use eq\(is_root, true\)/],
      ['gt(thread_id, "t1")', /use eq\(thread_id/],
      ['gt(name, ["agent"])', /gt\(\) takes one value/],
      ['eq(inputs, 1)', /inputs can only be searched/],
      ['frobnicate(name, 1)', /unknown function 'frobnicate'/],
      ['and(', /is incomplete/],
      ['gt(latency, "soon")', /seconds/],
      ['gt(start_time, null)', /null can only be compared with eq and neq \(at character 1\)/],
      ['and(eq(name, "x"), like(name, null))', /null can only be compared .* \(at character 20\)/],
      ['gt(error, null)', /null can only be compared/],
      ['has(metadata.user, null)', /null can only be compared/],
      ['eq(total_tokens, "")', /total_tokens must be compared with a number/],
      [`${'not('.repeat(100)}eq(name, "x")${')'.repeat(100)}`, /nested deeper/],
      ['eq(name, "x"); drop table runs', /unexpected/],
      ['eq(feedback_score, toString)', /a string, a number/],
      ['eq(feedback_score, "good")', /feedback_score must be compared with a number/],
      ['in(feedback_score, [1, "good"])', /feedback_score must be compared with a number/],
      ['eq(toString, 1)', /unknown field 'toString'/],
      ['eq(constructor, "x")', /unknown field 'constructor'/],
      [`or(${'eq(name, "x"),'.repeat(1100)}eq(name, "y"))`, /more than 500 comparisons/],
      [`like(name, "${'x'.repeat(60_000)}")`, /longer than 50000 bytes/],
      [`eq(name, "${'x'.repeat(999_900)}`, /unexpected/],
      [`search("${'word '.repeat(10_000)}")`, /at most 500 words/],
      [' '.repeat(2_000_000), /longer than 1000000 characters/],
    ] as const) {
      const response = await platform.fetch('/runs/query', {
        method: 'POST',
        body: { session: [session], filter },
      });
      assert.equal(response.status, 422, filter);
      assert.match(await response.text(), message);
    }
  });

  it('return each run exactly once when paged by cursor, in either order', async () => {
    for (const order of ['asc', 'desc']) {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const response = await platform.fetch('/runs/query', {
          method: 'POST',
          body: { session: [session], limit: 2, order, cursor },
        });
        const page = (await response.json()) as {
          runs: { name: string }[];
          cursors: { next: string | null };
        };
        seen.push(...page.runs.map((run) => run.name));
        cursor = page.cursors.next;
      } while (cursor !== null);
      const inTime = ['agent', 'model', 'tool', 'other', 'pending'];
      assert.deepEqual(seen, order === 'asc' ? inTime : inTime.reverse());
    }
  });

  it('ignore selected fields that do not exist, whatever their names', async () => {
    for (const [route, body] of [
      ['/runs/query', { session: [session], select: ['name', 'constructor'] }],
      ['/api/v2/runs/query', { project_ids: [session], selects: ['NAME', 'constructor'] }],
    ] as const) {
      const answer = await platform.fetch(route, { method: 'POST', body });
      assert.equal(answer.status, 200, await answer.clone().text());
    }
  });

  it('return the selected fields and the identifying ones, nothing else', async () => {
    const query = async (select: string[]) => {
      const body = { id: [root.id], select };
      const response = await platform.fetch('/runs/query', { method: 'POST', body });
      const [run] = ((await response.json()) as { runs: Record<string, unknown>[] }).runs;
      return run ?? {};
    };
    const run = await query(['inputs']);
    assert.deepEqual(run.inputs, { question: 'Where do refunds go?' });
    const { inputs: _inputs, ...rest } = run;
    assert.deepEqual(Object.keys(rest).sort(), [
      'app_path',
      'dotted_order',
      'id',
      'name',
      'run_type',
      'session_id',
      'start_time',
      'status',
      'trace_id',
    ]);
    assert.deepEqual(await query(['id']), rest);
  });

  it('require a project, trace or ID', async () => {
    const response = await platform.fetch('/runs/query', { method: 'POST', body: {} });
    assert.equal(response.status, 422);
    assert.match(await response.text(), /'session', 'id'/);
  });

  it('sort projects by the supported fields, and refuse others', async () => {
    const sorted = async (by: string) => platform.fetch(`/sessions?sort_by=${by}`);
    await platform.fetch('/sessions', { method: 'POST', body: { name: crypto.randomUUID() } });
    const haveRuns = async (order: string) => {
      const sessions = (await (await sorted(order)).json()) as { last_run_start_time: string | null }[];
      return sessions.map(({ last_run_start_time }) => last_run_start_time !== null);
    };
    // Projects without runs count as the oldest, and the newest come first.
    const newestFirst = await haveRuns('last_run_start_time');
    assert.deepEqual(newestFirst, newestFirst.toSorted().reverse());
    assert.equal(new Set(newestFirst).size, 2);
    assert.deepEqual(await haveRuns('last_run_start_time&sort_by_desc=false'), newestFirst.toReversed());
    const refused = await sorted('latency_p50');
    assert.equal(refused.status, 422);
    assert.match(await refused.text(), /Must be name, start_time or last_run_start_time/);
  });

  it('find projects by filter or metadata, and refuse invalid filters', async () => {
    const name = crypto.randomUUID();
    await platform.fetch('/sessions', {
      method: 'POST',
      body: { name, extra: { metadata: { model: 'm', n: 1 } } },
    });
    const found = async (query: string) => {
      const response = await platform.fetch(`/sessions?${new URLSearchParams(query)}`);
      const answer: unknown = await response.json();
      return Array.isArray(answer) ? answer.map((each) => each.name) : response.status;
    };
    assert.deepEqual(await found('metadata={"model":"m"}'), [name]);
    assert.deepEqual(await found('metadata={"model":"m","n":2}'), []);
    assert.deepEqual(await found(`filter=eq(name, "${name}")`), [name]);
    assert.deepEqual(await found(`filter=and(has(metadata, '{"n": 1}'), gt(start_time, "2020-01-01"))`), 422);
    assert.deepEqual(
      await found(`filter=and(has(metadata, '{"n": 1}'), gt(start_time, "2020-01-01T00:00:00Z"))`),
      [name],
    );
    assert.deepEqual(await found('filter=garbage('), 422);
    assert.deepEqual(await found('filter=eq(nothing, 1)'), 422);
    assert.deepEqual(await found('metadata=x'), 422);
    assert.equal((await platform.fetch('/datasets?metadata=x')).status, 422);
    assert.equal((await platform.fetch(`/examples?id=${root.id}&metadata=[1]`)).status, 422);
  });

  it('support v2, with upper-case names', async () => {
    const body = {
      project_ids: [session],
      is_root: true,
      selects: ['NAME', 'STATUS', 'LATENCY_SECONDS', 'RUN_TYPE'],
      page_size: 2,
    };
    const first = (await (await platform.fetch('/api/v2/runs/query', { method: 'POST', body })).json()) as {
      items: Record<string, unknown>[];
      next_cursor: string;
    };
    assert.deepEqual(
      first.items.map((item) => [item.name, item.status, item.run_type]),
      [
        ['pending', 'PENDING', 'CHAIN'],
        ['other', 'SUCCESS', 'CHAIN'],
      ],
    );
    assert.equal(first.items[1]?.latency_seconds, 1);
    assert.equal((await platform.fetch('/v2/runs/query', { method: 'POST', body })).status, 200);
    for (const field of ['min_start_time', 'max_start_time']) {
      const wrong = await platform.fetch('/api/v2/runs/query', {
        method: 'POST',
        body: { project_ids: [crypto.randomUUID()], [field]: 'soon' },
      });
      assert.equal(wrong.status, 422);
      assert.match(await wrong.text(), new RegExp(field), 'named as it was given');
    }
    const nowhere = await platform.fetch('/api/v2/runs/query', { method: 'POST', body: {} });
    assert.equal(nowhere.status, 422);
    assert.match(await nowhere.text(), /project_ids, ids, trace_id, reference_examples/);
    const traces = (await (
      await platform.fetch('/api/v2/traces/query', {
        method: 'POST',
        body: { trace_ids: [root.id], selects: ['NAME'] },
      })
    ).json()) as { items: { root_run: { name: string }; trace_aggregates: object }[] };
    assert.deepEqual(
      [traces.items[0]?.root_run.name, traces.items[0]?.trace_aggregates],
      ['agent', { first_token_time: null, total_cost: 0.5, total_tokens: 120 }],
    );
    const threads = (await (
      await platform.fetch('/api/v2/threads/query', { method: 'POST', body: { project_id: session } })
    ).json()) as { items: { thread_id: string; count: number }[] };
    assert.deepEqual(
      threads.items.map(({ thread_id, count }) => [thread_id, count]),
      [['t1', 1]],
    );
  });

  it('in v2 look back a day unless they contain a time', async () => {
    const week = 7 * 86_400_000;
    await sendParts(
      platform,
      postParts(newRun({ at: Date.now() - week, name: 'old', session_name: 'weeks' })),
    );
    const project = await sessionId(platform, 'weeks');
    for (const [route, scope] of [
      ['/api/v2/runs/query', { project_ids: [project] }],
      ['/api/v2/traces/query', { project_id: project }],
    ] as const) {
      const count = async (times: object) => {
        const answer = await platform.fetch(route, { method: 'POST', body: { ...scope, ...times } });
        return ((await answer.json()) as { items: unknown[] }).items.length;
      };
      assert.equal(await count({}), 0, route);
      assert.equal(await count({ min_start_time: new Date(Date.now() - 2 * week).toISOString() }), 1, route);
      assert.equal(await count({ max_start_time: new Date(Date.now() - week / 2).toISOString() }), 1, route);
    }
  });

  it('aggregate count, latency, errors, tokens and cost, in groups and over time', async () => {
    const stats = async (body: object) =>
      (await (
        await platform.fetch('/runs/stats', { method: 'POST', body: { session: [session], ...body } })
      ).json()) as Record<string, unknown>;
    const roots = await stats({ is_root: true });
    assert.deepEqual(
      [roots.run_count, roots.latency_p50, roots.error_rate, roots.total_tokens, roots.total_cost],
      [3, 5, 0, 120, 0.5],
    );
    // A root has the sums of its trace; they count once.
    const every = await stats({});
    assert.deepEqual([every.run_count, every.total_tokens, every.total_cost], [5, 120, 0.5]);
    assert.equal((roots.feedback_stats as Record<string, { avg: number }>).good?.avg, 0.9);
    const byType = (await stats({ group_by: { attribute: 'run_type' } })) as Record<
      string,
      { run_count: number }
    >;
    assert.deepEqual(Object.fromEntries(Object.entries(byType).map(([type, s]) => [type, s.run_count])), {
      chain: 3,
      llm: 1,
      tool: 1,
    });
    const byTag = (await stats({ group_by: { attribute: 'tag', max_groups: 5 } })) as Record<
      string,
      { run_count: number; total_tokens: number }
    >;
    assert.deepEqual(
      Object.entries(byTag).map(([tag, { run_count, total_tokens }]) => [tag, run_count, total_tokens]),
      [
        ['prod', 1, 120],
        ['v2', 1, 120],
      ],
      'a run counts for each of its tags',
    );
    const byUser = (await stats({ group_by: { attribute: 'metadata', path: 'user' } })) as Record<
      string,
      { run_count: number }
    >;
    assert.deepEqual([byUser.u1?.run_count, byUser.u2?.run_count], [1, 1]);
    const byMinute = (await stats({ interval: 'minute', is_root: true })) as Record<
      string,
      { run_count: number }
    >;
    assert.equal(
      Object.values(byMinute).reduce((sum, { run_count }) => sum + run_count, 0),
      3,
    );
    assert.equal(Object.keys(byMinute).length, 3);
    const project = (await (
      await platform.fetch(`/sessions/${session}?include_stats=true`)
    ).json()) as Record<string, unknown>;
    assert.deepEqual([project.run_count, project.total_tokens, project.total_cost], [3, 120, '0.5']);
  });

  it('return a trace as a tree, with summed tokens and feedback', async () => {
    const tree = (await (await platform.fetch(`/traces/${root.id}/tree`)).json()) as {
      name: string;
      total_tokens: number;
      feedback_stats: object;
      child_runs: { name: string }[];
    };
    assert.deepEqual(
      [tree.name, tree.total_tokens, tree.child_runs.map((run) => run.name)],
      ['agent', 120, ['model', 'tool']],
    );
    assert.ok('good' in tree.feedback_stats);
  });

  it('leave hidden spans out of a tree, but neither those that failed nor what is below them', async () => {
    const at = Date.now();
    const end_time = new Date(at + 100).toISOString();
    const agent = newRun({ at, name: 'agent', end_time });
    const hidden = { tags: ['seq:step:1', 'langsmith:hidden'], parent: agent, end_time };
    const write = newRun({ ...hidden, at: at + 1, name: 'ChannelWrite<x>' });
    const model = newRun({ parent: write, at: at + 2, name: 'model', end_time });
    const failed = newRun({ ...hidden, at: at + 3, name: 'Branch<agent>' });
    const parts = [agent, write, model].flatMap((run) => postParts(run));
    await sendParts(platform, [...parts, ...postParts(failed, { error: 'Error: no such node' })]);
    const ours = await readTraceTree(client, agent.id);
    // Other platforms have no trees.
    const { tracing } = client;
    const query = tracing.runs.query.bind(tracing.runs);
    const tree = () => tracing.runs.tree({ params: { trace_id: randomUUID() } });
    const theirs = await readTraceTree(
      { tracing: { ...tracing, runs: { ...tracing.runs, query, tree } } },
      agent.id,
    );
    for (const { child_runs } of [ours, theirs])
      assert.deepEqual(
        child_runs.map(({ name }) => name),
        ['model', 'Branch<agent>'],
      );
    const shown = [];
    for await (const { spans } of readSpans(client, agent.id, AbortSignal.timeout(30_000)))
      shown.push(...spans);
    assert.deepEqual(
      shown.map(({ name }) => name),
      ['agent', 'model', 'Branch<agent>'],
    );
  });
});
