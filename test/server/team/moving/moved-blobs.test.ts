import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openStateDatabase } from '../../../../src/server/storage/sqlite-state.ts';
import { findBlobs } from '../../../../src/server/team/moving/moved-blobs.ts';
import { SourceFolder } from '../../../../src/server/team/moving/source-folder.ts';
import { openTracesDatabase } from '../../../../src/server/tracing/database/sqlite-traces.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('the large payloads of a data folder to be moved', () => {
  it('have the names in their rows, even if a change of retention was not committed', async () => {
    await using folder = await temporaryFolder();
    await (await openStateDatabase(folder.path)).destroy();
    (await openTracesDatabase(folder.path)).close();
    const payloads = { inputs: { blob: 'ttl_14d/trace/inputs' }, outputs: { blob: 'ttl_14d/trace/outputs' } };
    const database = new DatabaseSync(path.join(folder.path, 'traces.db'), {
      enableForeignKeyConstraints: false,
    });
    insert(database, 'traces', { id: 'trace' });
    insert(database, 'runs', { payloads: JSON.stringify(payloads) });
    insert(database, 'attachments', { blob: 'ttl_14d/trace/image' });
    database.close();
    for (const name of ['ttl_14d/trace/inputs', 'ttl_400d/trace/outputs', 'ttl_400d/trace/image']) {
      const file = path.join(folder.path, 'blobs', name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, `${path.basename(name)} of a goldcrest`);
    }

    const source = await SourceFolder.open(folder.path);
    try {
      assert.deepEqual(
        findBlobs(source).map(({ name, isSearched, read }) => [name, isSearched, read().toString()]),
        [
          ['ttl_14d/trace/image', false, 'image of a goldcrest'],
          ['ttl_14d/trace/inputs', true, 'inputs of a goldcrest'],
          ['ttl_14d/trace/outputs', true, 'outputs of a goldcrest'],
        ],
      );
    } finally {
      source.close();
    }
  });
});

/** Inserts a row; the other columns that cannot be null are zero, except the key, which is the next one. */
function insert(database: DatabaseSync, table: string, values: Readonly<Record<string, string>>): void {
  const columns = database
    .prepare(`select name from pragma_table_info(?) where "notnull" and name <> 'key'`)
    .all(table);
  const row: Record<string, string | number> = Object.fromEntries(
    columns.map(({ name }) => [String(name), 0]),
  );
  Object.assign(row, values);
  const names = Object.keys(row);
  database
    .prepare(`insert into ${table} (${names.join()}) values (${names.map(() => '?').join()})`)
    .run(...Object.values(row));
}
