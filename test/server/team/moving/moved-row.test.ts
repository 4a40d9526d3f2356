import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { stateStructure } from '../../../../src/server/storage/state-structure.ts';
import { folderRow, isSerialized, teamRow } from '../../../../src/server/team/moving/moved-row.ts';
import { isOfTraces, MOVED_TABLES } from '../../../../src/server/team/moving/moved-tables.ts';
import type { Value } from '../../../../src/server/team/moving/row.ts';
import { SEALED_COLUMNS } from '../../../../src/server/team/moving/sealed-columns.ts';

const options = {
  node: 1,
  agent: undefined,
  inBlocks: undefined,
  changeSecret: (sealed: Uint8Array): Value => sealed,
};
/** Begins like the text that stands for bytes. */
const TEXT = '\u0001aGVsbG8=';

describe('a row that is moved back to a folder', () => {
  it('has the same bytes of a serializer as before the move', () => {
    for (const table of ['checkpoints', 'checkpoint_blobs', 'checkpoint_writes'] as const) {
      const row = { thread_id: 'a', data: new Uint8Array([0, 1, 255]) };
      const moved = teamRow(table, row, options);
      assert.equal(typeof moved.data, 'string');
      assert.deepEqual({ ...folderRow(table, moved, options) }, { ...row, data: Buffer.from(row.data) });
    }
  });

  it('keeps text that begins like bytes in the team', () => {
    for (const [table, column] of [
      ['deployment_logs', 'message'],
      ['store_items', 'key'],
      ['assistants', 'name'],
      ['threads', 'values'],
      ['exchanges', 'data'],
      ['checkpoints', 'checkpoint_ns'],
    ] as const) {
      assert.deepEqual(folderRow(table, { [column]: TEXT }, options), { [column]: TEXT });
      assert.deepEqual(teamRow(table, { [column]: TEXT }, options), { [column]: TEXT });
    }
  });

  it('is not a cron whose runs both sides start', () => {
    const cron = { cron_id: 'a', enabled: 1, next_run_date: '2027-01-01T00:00:00.000Z' };
    assert.deepEqual(folderRow('crons', cron, options), { cron_id: 'a', enabled: 0, next_run_date: null });
    assert.deepEqual(teamRow('crons', cron, options), cron);
  });

  it('has its bytes in columns that are known', () => {
    const database = new DatabaseSync(':memory:');
    database.exec(stateStructure);
    const bytes = MOVED_TABLES.filter((table) => !isOfTraces(table)).flatMap((table) =>
      database
        .prepare("select name from pragma_table_info(?) where type = 'blob' collate nocase")
        .all(table)
        .map(({ name }) => [table, String(name)] as const),
    );
    database.close();
    const serialized = bytes.filter(([table, column]) => isSerialized(table, column));
    const sealed = bytes.filter(([table, column]) => SEALED_COLUMNS[table]?.[column] !== undefined);
    assert.equal(serialized.length, 3);
    assert.deepEqual(
      [...serialized, ...sealed, ['store_vectors', 'vector']].map(String).sort(),
      bytes.map(String).sort(),
    );
  });
});
