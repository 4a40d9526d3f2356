import assert from 'node:assert/strict';
import { isOfTraces, MOVED_TABLES } from '../../../src/server/moving/moved-tables.ts';
import { SourceFolder } from '../../../src/server/moving/source-folder.ts';
import { openStateDatabase } from '../../../src/server/storage/state-database.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('a data folder to be moved', () => {
  it('may never have stored a trace', async () => {
    await using folder = await temporaryFolder();
    await (await openStateDatabase(folder.path)).destroy();
    const source = await SourceFolder.open(folder.path);
    try {
      for (const table of MOVED_TABLES) assert.ok(source.columns(table).length > 0, table);
      assert.ok(MOVED_TABLES.some(isOfTraces));
    } finally {
      source.close();
    }
  });
});
