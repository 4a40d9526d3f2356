import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gapOf } from '../../../../src/server/tracing/database/page-gaps.ts';
import { openTracesDatabase, SqliteTraces } from '../../../../src/server/tracing/database/sqlite-traces.ts';
import { random } from '../../../faults/random.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('pages of traces.db whose rows were moved and deleted', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let db: SqliteTraces;
  let gone: string[];

  beforeEach(async () => {
    folder = await temporaryFolder();
    db = await openTracesDatabase(folder.path);
    gone = [];
    // Rows are in the same places each time: only the words differ, and they have the same length.
    const draw = random(7);
    const insert = db.statement(
      'INSERT INTO payload_blocks (key, trace, data) VALUES (?, 1, ?) ON CONFLICT DO NOTHING',
    );
    const remove = db.statement('DELETE FROM payload_blocks WHERE key = ?');
    for (let round = 0; round < 200; round++) {
      const rows = Array.from({ length: 60 }, () => ({
        key: 1 + draw(1e9),
        word: `w${randomBytes(8).toString('hex')}`,
      }));
      db.transaction(() => {
        for (const { key, word } of rows) insert.run(key, Buffer.from(word + 'x'.repeat(draw(700))));
      });
      db.transaction(() => {
        for (const { key, word } of rows.filter((_, at) => at % 2 === 0 || round % 3 === 0)) {
          remove.run(key);
          gone.push(word);
        }
      });
    }
  });
  afterEach(async () => {
    db.close();
    await folder[Symbol.asyncDispose]();
  });

  const file = () => readFileSync(path.join(folder.path, 'traces.db'));
  function left(): number {
    const there = new Set(
      file()
        .toString('latin1')
        .match(/w[0-9a-f]{16}/g),
    );
    return gone.filter((word) => there.has(word)).length;
  }
  function freeSpace(from: SqliteTraces): void {
    for (let turn = 0; turn < 10_000; turn++) if (from.freeSpace(performance.now()) === 'done') return;
    throw new Error('It does not end.');
  }

  it('contain no remains of these rows, not even after the pages are written again', () => {
    freeSpace(new SqliteTraces(db.sqlite));
    assert.ok(left() > 0, 'SQLite leaves something');
    const { n } = db.statement('SELECT count(*) AS n FROM payload_blocks').get() ?? {};
    freeSpace(db);
    assert.equal(left(), 0);
    db.statement('UPDATE payload_blocks SET trace = 2').run();
    freeSpace(new SqliteTraces(db.sqlite));
    assert.equal(left(), 0);
    assert.deepEqual({ ...db.sqlite.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
    assert.equal(db.statement('SELECT count(*) AS n FROM payload_blocks').get()?.n, n);
  });

  it('are distinguished from pages without rows', () => {
    freeSpace(db);
    const { page_size: pageBytes } = db.sqlite.prepare('PRAGMA page_size').get() ?? {};
    const size = Number(pageBytes);
    const trees = db.sqlite
      .prepare(`SELECT pageno FROM dbstat WHERE pagetype IN ('leaf', 'internal')`)
      .all()
      .map(({ pageno }) => Number(pageno));
    const bytes = file();
    const found = Array.from({ length: bytes.length / size }, (_, at) => at + 1).filter(
      (number) => gapOf(bytes.subarray((number - 1) * size, number * size), number) !== undefined,
    );
    assert.ok(found.length > 20);
    assert.deepEqual(
      found.filter((number) => !trees.includes(number)),
      [],
    );
  });
});
