import assert from 'node:assert/strict';
import { openTracesDatabase } from '../../../../src/server/tracing/database/sqlite-traces.ts';
import { random } from '../../../faults/random.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('the full-text index', () => {
  it('contains no words of rows that were deleted in bulk, whatever its segments', async () => {
    await using folder = await temporaryFolder();
    const db = await openTracesDatabase(folder.path);
    const { textIndex } = db;
    const insert = db.statement('INSERT INTO runs_words (rowid, project, text) VALUES (?, ?, ?)');
    const remove = db.statement(
      `INSERT INTO runs_words (runs_words, rowid, project, text) VALUES ('delete', ?, ?, ?)`,
    );
    const below = random(1);
    for (let attempt = 0; attempt < 20; attempt++) {
      db.sqlite.exec(`INSERT INTO runs_words (runs_words) VALUES ('delete-all')`);
      textIndex.setRemovalMode('in-place');
      const rows = Array.from({ length: 1100 }, (_, at) => at + 2);
      for (const slice of slices(rows, below, 1 + below(300))) {
        db.transaction(() => {
          for (const key of slice) insert.run(key, 'p1', `budgerigar number ${key}`);
        });
      }
      db.transaction(() => insert.run(5000, 'p2', 'canary'));
      textIndex.setRemovalMode('marked');
      for (const slice of slices(rows, below, 1 + below(80))) {
        db.transaction(() => {
          for (const key of slice) remove.run(key, 'p1', `budgerigar number ${key}`);
        });
      }
      while (db.transaction(() => textIndex.merge()));
      const left = db
        .statement(`SELECT count(*) AS n FROM runs_words_data WHERE instr(block, CAST('budger' AS BLOB)) > 0`)
        .get();
      assert.equal(left?.n, 0, `attempt ${attempt + 1}`);
      const found = db
        .statement(`SELECT rowid FROM runs_words WHERE runs_words MATCH 'canary OR padding1'`)
        .all();
      assert.deepEqual(
        found.map(({ rowid }) => rowid),
        [5000],
      );
    }
    db.close();
  });
});

/** Cuts a list into pieces of all sizes up to a limit. */
function slices(list: readonly number[], below: (limit: number) => number, most: number): number[][] {
  const pieces: number[][] = [];
  for (let at = 0; at < list.length; ) {
    const size = 1 + below(most);
    pieces.push(list.slice(at, at + size));
    at += size;
  }
  return pieces;
}
