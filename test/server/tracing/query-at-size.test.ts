import assert from 'node:assert/strict';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { newRun, postParts, runNames, sendParts, sessionId } from '../../support/traces.ts';

/** More runs than a search looks up before it returns only the newest. */
const MANY = 2200;
const NEWEST_FIRST = ['2199', '2198', '2197'];

describe('queries that many runs match', () => {
  let platform: Platform;
  const projects = new Map<string, string>();

  before(async function () {
    this.timeout(120_000);
    platform = await startPlatform();
    const start = Date.now() - 3_600_000;
    const numbers = Array.from({ length: MANY }, (_, at) => at);
    for (const [project, order] of [
      ['in-order', numbers],
      ['backwards', numbers.toReversed()],
    ] as const) {
      const parts = order.flatMap((n) =>
        postParts(newRun({ at: start + n * 1000, name: String(n), session_name: project, tags: ['bird'] }), {
          inputs: { text: n === 7 ? 'budgerigar and canary' : 'budgerigar' },
          extra: { metadata: { number: n, half: n < 1100 ? 'first' : 'second', same: 'yes' } },
        }),
      );
      assert.equal((await sendParts(platform, parts)).status, 202);
      projects.set(project, await sessionId(platform, project));
    }
  });
  after(() => platform.close());

  const found = (project: string, query: object) =>
    runNames(platform, { session: [projects.get(project)], limit: 3, ...query });

  it('have statistics over time for the latest 1000 intervals, in order', async () => {
    const minute = 60_000;
    const first = Math.floor((Date.now() - 86_400_000) / minute) * minute;
    const times = Array.from({ length: 1001 }, (_, at) => first + at * minute);
    const parts = times.flatMap((at) => postParts(newRun({ at, session_name: 'minutes' })));
    assert.equal((await sendParts(platform, parts)).status, 202);
    const session = [await sessionId(platform, 'minutes')];
    const answer = await platform.fetch('/runs/stats', {
      method: 'POST',
      body: { session, interval: 'minute' },
    });
    assert.deepEqual(
      Object.keys((await answer.json()) as object).map((time) => Date.parse(time)),
      times.slice(1),
    );
  });

  it('find the newest by many tags of which each run has several', async () => {
    const tags = Array.from({ length: 30 }, (_, n) => `tag${n}`);
    const tagsOf = (n: number) => [n, n + 1].map((at) => tags[at % tags.length]);
    const start = Date.now() - 3_600_000;
    const parts = Array.from({ length: 1100 }, (_, n) =>
      postParts(newRun({ at: start + n * 1000, name: String(n), session_name: 'tagged', tags: tagsOf(n) })),
    ).flat();
    assert.equal((await sendParts(platform, parts)).status, 202);
    const query = {
      session: [await sessionId(platform, 'tagged')],
      filter: `in(tags, ${JSON.stringify(tags)})`,
      limit: 3,
    };
    assert.deepEqual(await runNames(platform, query), ['1099', '1098', '1097']);
    assert.deepEqual(await runNames(platform, { ...query, order: 'asc' }), ['0', '1', '2']);
  });

  const frequent = {
    'a word': 'search("budgerigar")',
    'a metadata entry': 'and(eq(metadata_key, "same"), eq(metadata_value, "yes"))',
    'a tag': 'has(tags, "bird")',
    'a metadata key with a value for every run': 'eq(metadata_key, "number")',
    'two of them': 'and(search("budgerigar"), has(tags, "bird"))',
  };
  for (const [what, filter] of Object.entries(frequent)) {
    it(`find the newest by ${what}, in whatever order they arrived`, async () => {
      assert.deepEqual(await found('in-order', { filter }), NEWEST_FIRST);
      assert.deepEqual(await found('backwards', { filter }), NEWEST_FIRST);
    });

    it(`find the earliest by ${what}`, async () => {
      assert.deepEqual(await found('in-order', { filter, order: 'asc' }), ['0', '1', '2']);
    });

    it(`find nothing outside ${what}`, async () => {
      assert.deepEqual(await found('in-order', { filter: `not(${filter})` }), []);
    });

    it(`find few among many by ${what}`, async () => {
      for (const [project] of projects) {
        assert.deepEqual(await found(project, { filter: `and(${filter}, eq(name, "7"))` }), ['7']);
        assert.deepEqual(await found(project, { filter: `and(${filter}, search("canary"))` }), ['7']);
      }
    });

    it(`page through all that match by ${what}`, async () => {
      const names = new Set<string>();
      let cursor: string | null = null;
      do {
        const response = await platform.fetch('/runs/query', {
          method: 'POST',
          body: { session: [projects.get('in-order')], filter, limit: 150, cursor, select: ['name'] },
        });
        const page = (await response.json()) as {
          runs: { name: string }[];
          cursors: { next: string | null };
        };
        assert.ok(page.runs.length <= 100, 'also when more are asked for');
        for (const run of page.runs) names.add(run.name);
        cursor = page.cursors.next;
      } while (cursor !== null);
      assert.equal(names.size, MANY);
    });
  }

  it('find a label that half of them have, newest first', async () => {
    const filter = 'and(eq(metadata_key, "half"), eq(metadata_value, "first"))';
    assert.deepEqual(await found('in-order', { filter }), ['1099', '1098', '1097']);
    assert.deepEqual(await found('in-order', { filter: `or(${filter}, eq(name, "2100"))` }), [
      '2100',
      '1099',
      '1098',
    ]);
  });

  it('find traces by their root and by any run', async () => {
    const rare = 'and(eq(metadata_key, "number"), eq(metadata_value, "7"))';
    assert.deepEqual(await found('in-order', { trace_filter: rare }), ['7']);
    assert.deepEqual(await found('in-order', { tree_filter: rare }), ['7']);
    assert.deepEqual(await found('in-order', { trace_filter: frequent['a tag'] }), NEWEST_FIRST);
    assert.deepEqual(await found('in-order', { tree_filter: 'search("budgerigar")' }), NEWEST_FIRST);
  });
});

describe('a trace with more runs than are read at once', () => {
  let platform: Platform;
  before(async () => {
    platform = await startPlatform();
  });
  after(() => platform.close());

  it('is answered with all of them, in either order, however they arrived', async () => {
    const at = Date.now() - 3_600_000;
    const root = newRun({ at, name: '0' });
    const below = Array.from({ length: 1200 }, (_, index) =>
      newRun({ parent: root, at: at + (index + 1) * 1000, name: String(index + 1) }),
    );
    const runs = [root, ...below.toReversed()];
    const parts = runs.flatMap((run) => postParts(run, { inputs: { of: run.name } }));
    assert.equal((await sendParts(platform, parts)).status, 202);
    const inTime = Array.from({ length: 1201 }, (_, index) => String(index));
    for (const order of ['asc', 'desc']) {
      const body = { trace: root.id, order, select: ['name', 'inputs'] };
      const response = await platform.fetch('/runs/query', { method: 'POST', body });
      const { runs: found, cursors } = (await response.json()) as {
        runs: { name: string; inputs: { of: string } }[];
        cursors: { next: string | null };
      };
      const expected = order === 'asc' ? inTime : inTime.toReversed();
      assert.deepEqual(
        found.map(({ name }) => name),
        expected,
      );
      assert.deepEqual(
        found.map(({ inputs }) => inputs.of),
        expected,
      );
      assert.equal(cursors.next, null);
    }
  });
});
