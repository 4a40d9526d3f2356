import assert from 'node:assert/strict';
import { open, readdir, readlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Kysely, sql } from 'kysely';
import { storageProblem } from '../../../src/server/http/storage-problem.ts';
import { makeLogger } from '../../../src/server/logger.ts';
import { DataFolderError } from '../../../src/server/storage/data-folder-error.ts';
import { NodeSqliteDialect } from '../../../src/server/storage/node-sqlite-dialect.ts';
import { openSqlite } from '../../../src/server/storage/open-sqlite.ts';
import { openStateDatabase } from '../../../src/server/storage/sqlite-state.ts';
import { StateDatabase } from '../../../src/server/storage/state-database.ts';
import { openTracesDatabase } from '../../../src/server/tracing/database/sqlite-traces.ts';
import { skip } from '../../support/skip.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** The files that this process has open. */
async function openFiles(): Promise<string[]> {
  const all = await readdir('/proc/self/fd');
  return Promise.all(all.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
}

describe('a disk', () => {
  it('that is full is reported, loses nothing, and is used again when there is space', async () => {
    await using folder = await temporaryFolder();
    const database = openSqlite(path.join(folder.path, 'full.db'));
    const db = new Kysely<{ items: { bytes: Uint8Array } }>({ dialect: new NodeSqliteDialect(database) });
    await sql`create table items (bytes blob)`.execute(db);
    database.exec('PRAGMA max_page_count = 40');
    const fill = (count: number) =>
      db.transaction().execute(async (transaction) => {
        for (let i = 0; i < count; i++) {
          await transaction
            .insertInto('items')
            .values({ bytes: new Uint8Array(4_000) })
            .execute();
        }
      });
    await fill(3);
    await assert.rejects(fill(100), (error) => {
      assert.equal(storageProblem(error)?.status, 507);
      return true;
    });
    assert.equal((await db.selectFrom('items').selectAll().execute()).length, 3);
    database.exec('PRAGMA max_page_count = 4000');
    await fill(100);
    await db.destroy();
  });

  for (const [name, open] of [
    ['state.db', openStateDatabase],
    ['traces.db', openTracesDatabase],
  ] as const) {
    it(`that damaged ${name} is reported with the file and the way out, and nothing is deleted`, async () => {
      await using folder = await temporaryFolder();
      const file = path.join(folder.path, name);
      await writeFile(file, 'no database at all '.repeat(1_000));
      await assert.rejects(open(folder.path), (error) => {
        assert.ok(error instanceof DataFolderError);
        assert.ok(
          error.message.startsWith(`${file} is damaged (file is not a database). Replace it with a copy`),
        );
        return true;
      });
      if (process.platform === 'linux') assert.ok(!(await openFiles()).includes(file));
    });
  }

  for (const [name, open] of [
    ['state.db', openStateDatabase],
    ['traces.db', openTracesDatabase],
  ] as const) {
    it(`whose ${name} was written by a newer version is refused, with that version`, async () => {
      await using folder = await temporaryFolder();
      const file = path.join(folder.path, name);
      const first = await open(folder.path, '1.2.30');
      await (first instanceof StateDatabase ? first.destroy() : first.close());
      const database = openSqlite(file);
      database.exec("INSERT INTO migrations VALUES ('9999-of-the-future', '')");
      database.close();
      await assert.rejects(open(folder.path, '0.9.0'), (error) => {
        assert.ok(error instanceof DataFolderError);
        assert.match(
          error.message,
          /written by Agent Harbor 1\.2\.30 and cannot be read by this version \(0\.9\.0\)/,
        );
        assert.match(error.message, /Update Agent Harbor/);
        return true;
      });
      // So that it can be replaced, which Windows refuses for an open file.
      if (process.platform === 'linux') assert.ok(!(await openFiles()).includes(file));
    });
  }

  it('that is full loses log lines, but not the server', async function () {
    if (process.platform !== 'linux') skip(this, 'only Linux has /dev/full');
    const full = await open('/dev/full', 'w');
    const logger = makeLogger({ level: 'info', fd: full.fd });
    for (let i = 0; i < 10; i++) logger.info('a line');
    // Errors about lost log lines are thrown later, where nothing catches them.
    await delay(50);
    await full.close();
  });
});
