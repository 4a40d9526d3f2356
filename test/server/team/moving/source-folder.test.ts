import assert from 'node:assert/strict';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openStateDatabase } from '../../../../src/server/storage/sqlite-state.ts';
import { isOfTraces, MOVED_TABLES } from '../../../../src/server/team/moving/moved-tables.ts';
import { SourceFolder } from '../../../../src/server/team/moving/source-folder.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

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
    assert.deepEqual(await readdir(folder.path), ['server.lock', 'state.db']);
  });

  it('is refused when its traces are missing, but not their payloads', async () => {
    await using folder = await temporaryFolder();
    await (await openStateDatabase(folder.path)).destroy();
    const blobs = path.join(folder.path, 'blobs');
    await mkdir(path.join(blobs, 'staging'), { recursive: true });
    await writeFile(path.join(blobs, 'staging', 'left'), '');
    (await SourceFolder.open(folder.path)).close();
    await mkdir(path.join(blobs, 'ttl_14d', 'trace'), { recursive: true });
    await writeFile(path.join(blobs, 'ttl_14d', 'trace', 'payload'), '');
    await assert.rejects(
      SourceFolder.open(folder.path),
      /traces\.db is missing, although .* it has payloads of traces in blobs/,
    );
    // Without the leftover blobs, the folder can be opened: the failed attempt released it.
    await rm(blobs, { recursive: true });
    (await SourceFolder.open(folder.path)).close();
  });
});
