import assert from 'node:assert/strict';
import path from 'node:path';
import { openSqlite } from '../../../src/server/storage/open-sqlite.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { newRun, postParts, readRun, sendParts, sessionId } from '../../support/traces.ts';
import { requireTracesInFiles } from '../../support/traces-database.ts';

const FAR = '9999-12-31T23:59:59Z';

describe('numbers and times out of range', () => {
  let platform: Platform;
  const run = newRun({ end_time: new Date().toISOString() });
  let session: string;
  let dataset: string;

  before(async () => {
    platform = await startPlatform();
    await sendParts(platform, postParts(run, { outputs: { usage_metadata: { input_tokens: 3 } } }));
    session = await sessionId(platform, 'test');
    dataset = (await made('/datasets', { name: 'd' })).id;
    await made('/examples', { dataset_id: dataset, inputs: { a: 1 } });
    await made('/feedback', { key: 'k', run_id: run.id, score: 1 });
    await made('/feedback/tokens', { run_id: run.id, feedback_key: 'k' });
  });
  after(() => platform.close());

  const send = (route: string, body: unknown, method = 'POST') => platform.fetch(route, { method, body });
  async function made(route: string, body: unknown): Promise<{ id: string }> {
    const response = await send(route, body);
    assert.equal(response.status, 200, await response.clone().text());
    return response.json() as Promise<{ id: string }>;
  }

  /** Whether everything that lists or shows what the tests touch can be read. */
  async function assertReadable(): Promise<void> {
    for (const route of [
      '/sessions',
      '/sessions?include_stats=true',
      `/sessions/${session}?include_stats=true`,
      `/runs/${run.id}`,
      `/traces/${run.trace_id}/tree`,
      `/examples?dataset=${dataset}`,
      '/datasets',
      '/feedback',
      `/feedback/tokens?run_id=${run.id}`,
    ]) {
      const response = await platform.fetch(route);
      assert.equal(response.status, 200, `${route}: ${await response.text()}`);
    }
    for (const [route, body] of [
      ['/runs/query', { session: [session] }],
      ['/runs/stats', { session: [session] }],
      ['/runs/stats', { session: [session], interval: 'day' }],
      ['/api/v2/runs/query', { project_ids: [session] }],
    ] as const) {
      const response = await send(route, body);
      assert.equal(response.status, 200, `${route}: ${await response.text()}`);
    }
  }

  const refused: [title: string, method: string, route: () => string, body: () => object, loc: unknown[]][] =
    [
      [
        'of a new project',
        'POST',
        () => '/sessions',
        () => ({ name: 'x', start_time: FAR }),
        ['body', 'start_time'],
      ],
      [
        'of a project that ends',
        'PATCH',
        () => `/sessions/${session}`,
        () => ({ end_time: FAR }),
        ['body', 'end_time'],
      ],
      [
        'of an example',
        'POST',
        () => '/examples',
        () => ({ dataset_id: dataset, inputs: {}, created_at: FAR }),
        ['body', 'created_at'],
      ],
      [
        'of a feedback link',
        'POST',
        () => '/feedback/tokens',
        () => ({ run_id: run.id, feedback_key: 'k', expires_at: FAR }),
        ['body', 'expires_at'],
      ],
      [
        'of feedback, if it is too long ago',
        'POST',
        () => '/feedback',
        () => ({ key: 'k', run_id: run.id, modified_at: '0784-12-08T06:52:51Z' }),
        ['body', 'modified_at'],
      ],
      [
        'of feedback, if the calendar has no such day',
        'POST',
        () => '/feedback',
        () => ({ key: 'k', run_id: run.id, created_at: '2026-02-30T00:00:00Z' }),
        ['body', 'created_at'],
      ],
      [
        'of a project, if it began in the first century',
        'POST',
        () => '/sessions',
        () => ({ name: 'old', start_time: '0099-01-01T00:00:00Z' }),
        ['body', 'start_time'],
      ],
      [
        'of feedback, if it is not a time',
        'POST',
        () => '/feedback',
        () => ({ key: 'k', run_id: run.id, created_at: 'soon' }),
        ['body', 'created_at'],
      ],
    ];
  for (const [title, method, route, body, loc] of refused) {
    it(`are refused in the time ${title}, with the field`, async () => {
      const response = await send(route(), body(), method);
      assert.equal(response.status, 422, await response.clone().text());
      const { detail } = (await response.json()) as { detail: { loc: unknown; msg: string }[] };
      assert.deepEqual(detail[0]?.loc, loc);
      await assertReadable();
    });
  }

  it('are refused in a span whose first token came in the year 9999', async () => {
    const response = await sendParts(platform, postParts(newRun({ first_token_time: FAR })));
    assert.equal(response.status, 422);
    assert.match(await response.text(), /first_token_time is more than a day in the future/);
  });

  it('are left out of sums of tokens, while their span is stored', async () => {
    const child = newRun({ parent: run, run_type: 'llm' });
    const usage = { input_tokens: 9e18, output_tokens: 5 };
    const response = await sendParts(platform, postParts(child, { outputs: { usage_metadata: usage } }));
    assert.equal(response.status, 202);
    await assertReadable();
    const read = await readRun(platform, child.id);
    assert.equal(read.completion_tokens, 5);
    assert.deepEqual(read.outputs, { usage_metadata: usage });
  });

  it('are allowed in the times of queries', async () => {
    const response = await send('/runs/query', {
      session: [session],
      filter: `and(lt(start_time, "${FAR}"), gt(start_time, "0001-01-01T00:00:00Z"))`,
      end_time: FAR,
      is_root: true,
    });
    const { runs } = (await response.json()) as { runs: { id: string }[] };
    assert.deepEqual(
      runs.map(({ id }) => id),
      [run.id],
    );
  });

  it('are read as the nearest exact number if they are already stored', async function () {
    requireTracesInFiles(this);
    const database = openSqlite(path.join(platform.dataDir, 'traces.db'));
    const poison = '9223372036854775807';
    for (const [table, columns] of Object.entries({
      sessions: ['start_time', 'end_time', 'last_run_start_time'],
      runs: ['end_time', 'first_token_time', 'total_tokens', 'prompt_tokens', 'completion_tokens'],
      traces: ['total_tokens', 'prompt_tokens', 'completion_tokens'],
      example_versions: ['created_at'],
      feedback: ['created_at', 'modified_at'],
      feedback_tokens: ['expires_at'],
      datasets: ['created_at', 'modified_at'],
    })) {
      for (const column of columns) database.exec(`UPDATE ${table} SET ${column} = ${poison}`);
    }
    database.close();
    await assertReadable();
    assert.equal((await readRun(platform, run.id)).total_tokens, Number.MAX_SAFE_INTEGER);
    // The project can also be written to.
    assert.equal((await send(`/sessions/${session}`, { description: 'mended' }, 'PATCH')).status, 200);
    assert.equal((await sendParts(platform, postParts(newRun({ parent: run })))).status, 202);
    assert.equal((await send('/feedback', { key: 'k', run_id: run.id, score: 0 })).status, 200);
  });
});
