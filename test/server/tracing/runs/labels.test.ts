import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { nowMicros } from '../../../../src/server/tracing/database/time.ts';
import { formatSegment } from '../../../../src/server/tracing/runs/dotted-order.ts';
import { type Platform, startPlatform } from '../../../support/platform.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

/** More than one statement inserts, and a number of which each half leaves some for smaller statements. */
const LABELS = 150;

describe('the labels of runs', function () {
  this.timeout(120_000);

  it('are found whether they are new or were stored by an earlier server', async () => {
    await using folder = await temporaryFolder();
    // A server forgets its labels when it ends. The second run has half of the first one's labels, and the
    // same number of others.
    const first = await served(folder.path, (platform) => store(platform, 0));
    await served(folder.path, async (platform) => {
      const second = await store(platform, LABELS / 2);
      assert.deepEqual(await runsWith(platform, LABELS / 2 - 1), [first]);
      assert.deepEqual(await runsWith(platform, LABELS / 2), [first, second].sort());
      assert.deepEqual(await runsWith(platform, LABELS - 1), [first, second].sort());
      assert.deepEqual(await runsWith(platform, LABELS), [second]);
      assert.deepEqual(await runsWith(platform, LABELS + LABELS / 2 - 1), [second]);
    });
  });

  async function served<Result>(
    dataDir: string,
    use: (platform: Platform) => Promise<Result>,
  ): Promise<Result> {
    const platform = await startPlatform({ dataDir });
    try {
      return await use(platform);
    } finally {
      await platform.close();
    }
  }

  /** A run with the labels from `first` on. @returns its id */
  async function store(platform: Platform, first: number): Promise<string> {
    const id = uuidv7();
    const micros = nowMicros();
    const metadata = Object.fromEntries(
      Array.from({ length: LABELS }, (_, at) => [`key-${first + at}`, `value ${first + at}`]),
    );
    const run = {
      id,
      trace_id: id,
      dotted_order: formatSegment(micros, id),
      name: 'labeled',
      run_type: 'chain',
      session_name: 'labels',
      start_time: micros / 1000,
      extra: { metadata },
    };
    const answer = await platform.fetch('/runs/batch', { method: 'POST', body: { post: [run] } });
    assert.equal(answer.status, 202, await answer.text());
    return id;
  }

  async function runsWith(platform: Platform, label: number): Promise<string[]> {
    const [session] = (await (await platform.fetch('/sessions?name=labels')).json()) as { id: string }[];
    const filter = `and(eq(metadata_key, "key-${label}"), eq(metadata_value, "value ${label}"))`;
    const answer = await platform.fetch('/runs/query', {
      method: 'POST',
      body: { session: [session?.id], filter, select: ['id'] },
    });
    const { runs } = (await answer.json()) as { runs: { id: string }[] };
    return runs.map(({ id }) => id).sort();
  }
});
