import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { Expiry } from '../../../src/server/purging/expiry.ts';
import { DAY_MICROS } from '../../../src/server/tracing/database/time.ts';
import { ensureWorkspaceKey } from '../../../src/server/tracing/sessions/workspace-keys.ts';
import { openTracesWriter } from '../../support/traces-writer.ts';

const MINUTE_MS = 60_000;
const START = 1_800_000_000_000_000;

describe('traces that expire', () => {
  afterEach(() => mock.timers.reset());

  it('are purged at once, and those that expire within the next hour together', async () => {
    await using writer = await openTracesWriter();
    const { context } = writer;
    const { db } = context;
    mock.timers.enable({ apis: ['setInterval'] });
    let now = START;
    const expiry = new Expiry(context, () => now);
    const workspace = db.transaction(() => ensureWorkspaceKey(db, context.caches, 'one'));
    const expire = (id: string, minutes: number) =>
      db
        .statement(
          `INSERT INTO traces (id, workspace, session, tier, ttl_days, first_received_at, expires_at, run_count)
           VALUES (?, ?, 1, 'shortlived', 14, 0, ?, 0)`,
        )
        .run(id, workspace, START + minutes * MINUTE_MS * 1_000);
    for (const [id, minutes] of [
      ['first', 0],
      ['second', 5],
      ['third', 40],
      ['last', 90],
    ] as const)
      expire(id, minutes);

    /** In which minutes it was purged, and what. */
    const purged: [minute: number, traces: string[]][] = [];
    for (let minute = 0; minute <= 130; minute++) {
      now = START + minute * MINUTE_MS * 1_000;
      expiry.advance();
      const { n } = db.statement('SELECT count(*) AS n FROM purge_jobs').get() ?? {};
      if (Number(n) > 0) {
        // Deletes the traces as the purge would.
        const gone = db.statement('DELETE FROM traces WHERE expires_at <= ? RETURNING id').all(now);
        db.statement('DELETE FROM purge_jobs').run();
        purged.push([minute, gone.map(({ id }) => String(id)).sort()]);
        const next = [60, 120][purged.length - 1];
        if (next !== undefined) assert.equal(expiry.dueAt(), START + next * MINUTE_MS * 1_000);
      }
      mock.timers.tick(MINUTE_MS);
    }
    now = START - DAY_MICROS;
    expire('of a clock that was set back', -2 * 24 * 60);
    expiry.advance();
    assert.equal(db.statement('SELECT count(*) AS n FROM purge_jobs').get()?.n, 1);
    expiry.stop();
    assert.deepEqual(purged, [
      [0, ['first']],
      [60, ['second', 'third']],
      [120, ['last']],
    ]);
  });
});
