import assert from 'node:assert/strict';
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrate } from '../../../src/server/storage/migrate.ts';
import { openSqlite } from '../../../src/server/storage/open-sqlite.ts';
import { PreparedQuery } from '../../../src/server/storage/prepared-query.ts';
import { isRefused, Refused } from '../../../src/server/storage/refused.ts';
import { Settings } from '../../../src/server/storage/settings.ts';
import { openStateDatabase, SqliteState } from '../../../src/server/storage/sqlite-state.ts';
import type { StateDatabase } from '../../../src/server/storage/state-database.ts';
import { stateMigrations } from '../../../src/server/storage/state-migrations.ts';
import { stateStructure } from '../../../src/server/storage/state-structure.ts';
import type { Unit } from '../../../src/server/storage/unit.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { eventually } from '../../support/wait.ts';

describe('the state database', () => {
  const put = (db: StateDatabase, name: string) =>
    db.commit((unit) => unit.do(unit.build.insertInto('settings').values({ name, value: '' })));
  const names = async (db: StateDatabase) =>
    (await db.selectFrom('settings').select('name').orderBy('name').execute()).map(({ name }) => name);

  it('is the same when created at once or by its migrations (if this fails: npm run generate)', async () => {
    await using folder = await temporaryFolder();
    const made = async (name: string, structure?: string) => {
      const database = openSqlite(path.join(folder.path, `${name}.db`));
      const db = new SqliteState(database);
      const wanted = { migrations: stateMigrations, name: 'state', dataDir: folder.path } as const;
      await migrate(db, { ...wanted, database, ...(structure === undefined ? {} : { structure }) });
      const contents = contentsOf(database);
      await db.destroy();
      return contents;
    };
    assert.deepEqual(await made('at-once', stateStructure), await made('by-migrations'));
  });

  it('from before checkpoints had an order is read in the order of their IDs', async () => {
    await using folder = await temporaryFolder();
    const database = openSqlite(path.join(folder.path, 'state.db'));
    const migrations = Object.fromEntries(Object.entries(stateMigrations).filter(([name]) => name < '0006'));
    const old = new SqliteState(database);
    await migrate(old, { migrations, database, name: 'state', dataDir: folder.path });
    database.exec(`PRAGMA foreign_keys = OFF; INSERT INTO checkpoints
      (thread_id, checkpoint_ns, checkpoint_id, type, data, channel_versions, metadata, created_at)
      VALUES ('t', '', 'b', 'json', '{}', '{}', '{}', ''), ('t', 's', 'c', 'json', '{}', '{}', '{}', ''),
        ('t', '', 'a', 'json', '{}', '{}', '{}', ''), ('u', '', 'b', 'json', '{}', '{}', '{}', '')`);
    await old.destroy();
    const db = await openStateDatabase(folder.path);
    const rows = await db.selectFrom('checkpoints').select(['thread_id', 'checkpoint_id', 'seq']).execute();
    assert.deepEqual(rows.map((row) => Object.values(row).join(' ')).sort(), [
      't a 1',
      't b 2',
      't c 3',
      'u b 1',
    ]);
    await db.destroy();
  });

  it('is updated after an update that failed', async () => {
    await using folder = await temporaryFolder();
    const dataDir = folder.path;
    const known = Object.fromEntries(Object.entries(stateMigrations).filter(([name]) => name < '0016'));
    const failing = {
      ...known,
      '0016-run-revisions': { up: () => Promise.reject(new Error('the disk is full')) },
    };
    for (const [migrations, setting] of [
      [known, 'old'],
      [failing, undefined],
      [known, 'newer'],
    ] as const) {
      const database = openSqlite(path.join(dataDir, 'state.db'));
      const db = new SqliteState(database);
      const migrated = migrate(db, { migrations, database, name: 'state', dataDir });
      if (setting === undefined) await assert.rejects(migrated, /could not be updated.*the disk is full/);
      else {
        await migrated;
        await put(db, setting);
      }
      await db.destroy();
    }
    const db = await openStateDatabase(dataDir);
    assert.deepEqual(await names(db), ['newer', 'old']);
    await db.destroy();
    const copy = new DatabaseSync(path.join(dataDir, 'backups', 'state.before-0016-run-revisions.db'));
    const copied = copy.prepare('SELECT name FROM settings ORDER BY name').all();
    copy.close();
    assert.deepEqual(
      copied.map(({ name }) => name),
      ['newer', 'old'],
    );
  });

  it('is complete without its log when nothing was written for a while', async () => {
    await using folder = await temporaryFolder();
    const db = await openStateDatabase(folder.path);
    for (let n = 0; n < 200; n++) await put(db, `setting ${n}`);
    const copy = path.join(folder.path, 'copy.db');
    await eventually('the file alone has everything', async () => {
      await copyFile(path.join(folder.path, 'state.db'), copy);
      const alone = new DatabaseSync(copy);
      try {
        return alone.prepare('SELECT count(*) AS n FROM settings').get()?.n === 200;
      } finally {
        alone.close();
      }
    });
    await db.destroy();
  }).timeout(30_000);

  it('counts a setting that cannot be read as never set', async () => {
    await using folder = await temporaryFolder();
    const db = await openStateDatabase(folder.path);
    const settings = new Settings(db);
    await settings.setNumber('port', 8123);
    assert.equal(await settings.number('port'), 8123);
    for (const value of ['{', '"8123"', '']) {
      await db.updateTable('settings').set({ value }).execute();
      assert.equal(await settings.number('port'), undefined);
    }
    await db.destroy();
  });

  it('keeps commits out of an open transaction', async () => {
    await using folder = await temporaryFolder();
    const db = await openStateDatabase(folder.path);
    const begun = Promise.withResolvers<void>();
    const meanwhile = Promise.withResolvers<void>();
    const undone = db.transaction().execute(async (transaction) => {
      await transaction.insertInto('settings').values({ name: 'undone', value: '' }).execute();
      begun.resolve();
      await meanwhile.promise;
      throw new Error('undo it');
    });
    await begun.promise;
    const written = put(db, 'written');
    meanwhile.resolve();
    await assert.rejects(undone, /undo it/);
    await written;
    assert.deepEqual(await names(db), ['written']);
    await db.destroy();
  });

  it('rolls back a commit that throws', async () => {
    await using folder = await temporaryFolder();
    const db = await openStateDatabase(folder.path);
    const failing = db.commit((unit) => {
      unit.do(unit.build.insertInto('settings').values({ name: 'undone', value: '' }));
      throw new Error('undo it');
    });
    await assert.rejects(failing, /undo it/);
    await put(db, 'written');
    assert.deepEqual(await names(db), ['written']);
    await db.destroy();
  });

  it('stores nothing of a commit when a condition of it does not hold', async () => {
    await using folder = await temporaryFolder();
    const db = await openStateDatabase(folder.path);
    await put(db, 'seen');
    const change = (value: string) => (unit: Unit) => {
      unit.do(unit.build.insertInto('settings').values({ name: `by ${value}`, value }));
      const settings = unit.build.updateTable('settings').set({ value });
      unit.expect(settings.where('name', '=', 'seen').where('value', '=', ''), 'stale');
    };
    const [first, second] = await Promise.allSettled([db.commit(change('a')), db.commit(change('b'))]);
    assert.equal(first.status, 'fulfilled');
    assert.ok(second.status === 'rejected' && isRefused(second.reason, 'stale'));
    assert.deepEqual(await names(db), ['by a', 'seen']);
    await db.destroy();
  });

  it('takes a query that finds one row as a condition, and refuses none and two', async () => {
    await using folder = await temporaryFolder();
    const db = await openStateDatabase(folder.path);
    const byValue = new PreparedQuery<{ value: string }>((build, value) =>
      build.selectFrom('settings').select('name').where('value', '=', value('value')),
    );
    const expectOne = () => db.commit((unit) => unit.expect(byValue, { value: '' }, 'gone'));
    await assert.rejects(expectOne(), Refused);
    await put(db, 'one');
    await expectOne();
    await put(db, 'two');
    await assert.rejects(expectOne(), Refused);
    await db.destroy();
  });

  it('refuses asynchronous work, which would continue after the commit', async () => {
    await using folder = await temporaryFolder();
    const db = await openStateDatabase(folder.path);
    const waiting = db.commit(async (unit) => {
      unit.do(unit.build.insertInto('settings').values({ name: 'undone', value: '' }));
    });
    await assert.rejects(waiting, /must not be asynchronous/);
    assert.deepEqual(await names(db), []);
    await db.destroy();
  });
});

/** The structure of a database, and its rows but for when its migrations were applied. */
function contentsOf(database: DatabaseSync) {
  const objects = database
    .prepare('SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid')
    .all();
  const tables = objects.filter(({ type }) => type === 'table');
  const rows = tables.map(({ name }) => database.prepare(`SELECT * FROM "${name}" ORDER BY 1`).all());
  return { objects, rows: rows.map((table) => table.map(({ timestamp: _, ...row }) => row)) };
}
