import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { copyFile, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { v7 as uuidv7 } from 'uuid';
import { nowMicros } from '../../../src/server/tracing/database/time.ts';
import { formatSegment } from '../../../src/server/tracing/runs/dotted-order.ts';
import { type Platform, startPlatform } from '../../support/platform.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The part of each run that cannot be compressed. */
const PAYLOAD_BYTES = 60_000;
/** Far below the size at which the writing thread merges the log itself. */
const MAX_LOG_BYTES = 60 * 1024 * 1024;

describe('the write-ahead log of a busy traces.db', function () {
  this.timeout(120_000);

  it('is merged into the file while requests are stored, and is gone when the last thread ends', async () => {
    await using folder = await temporaryFolder();
    await storeUntilMerged(folder.path, 250, 1_000);
    const left = (await readdir(folder.path)).filter((name) => name.startsWith('traces.db'));
    assert.deepEqual(left, ['traces.db']);
  });

  it('is merged as well when few runs have large payloads', async () => {
    await using folder = await temporaryFolder();
    const text = randomBytes(PAYLOAD_BYTES).toString('base64');
    await storeUntilMerged(folder.path, 20, 100, { inputs: { text } });
  });

  /** Stores one request after another without a pause, in which the log would be merged anyway. */
  async function storeUntilMerged(
    dataDir: string,
    runs: number,
    merged: number,
    besides = {},
  ): Promise<void> {
    const platform = await startPlatform({ dataDir });
    try {
      do {
        await store(platform, runs, besides);
        const { size } = await stat(path.join(dataDir, 'traces.db-wal'));
        assert.ok(size < MAX_LOG_BYTES, `the log has ${size} bytes, and nothing of it is in the file`);
      } while ((await runsInFile(dataDir)) < merged);
    } finally {
      await platform.close();
    }
  }

  async function store(platform: Platform, runs: number, besides: object): Promise<void> {
    const post = Array.from({ length: runs }, () => {
      const id = uuidv7();
      const micros = nowMicros();
      return {
        id,
        trace_id: id,
        dotted_order: formatSegment(micros, id),
        name: 'busy',
        run_type: 'chain',
        session_name: 'busy',
        start_time: micros / 1000,
        extra: {
          metadata: Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`key-${at}`, uuidv7()])),
        },
        ...besides,
      };
    });
    const answer = await platform.fetch('/runs/batch', { method: 'POST', body: { post } });
    assert.equal(answer.status, 202, await answer.text());
  }
});

/** The number of runs in the file alone, as if there were no log. */
async function runsInFile(dataDir: string): Promise<number> {
  const copy = path.join(dataDir, 'copy.db');
  await copyFile(path.join(dataDir, 'traces.db'), copy);
  const file = new DatabaseSync(copy);
  try {
    const table = file.prepare(`SELECT count(*) AS n FROM sqlite_schema WHERE name = 'runs'`).get();
    return table?.n === 0 ? 0 : Number(file.prepare('SELECT count(*) AS n FROM runs').get()?.n);
  } catch {
    // The file was copied in the middle of a merge.
    return 0;
  } finally {
    file.close();
    for (const end of ['', '-wal', '-shm']) await rm(`${copy}${end}`, { force: true });
  }
}
