import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { openPostgresState } from '../../../../src/server/storage/postgres/postgres-state.ts';
import { PreparedQuery } from '../../../../src/server/storage/prepared-query.ts';
import { isRefused } from '../../../../src/server/storage/refused.ts';
import { openStateDatabase, type StateDatabase } from '../../../../src/server/storage/state-database.ts';
import { type Postgres, requirePostgres } from '../../../support/postgres.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const insertSetting = new PreparedQuery<{ name: string; value: string }>((db, value) =>
  db
    .insertInto('settings')
    .values({ name: value('name'), value: value('value') })
    .onConflict((conflict) => conflict.doNothing()),
);

describe('the state in PostgreSQL', function () {
  this.timeout(60_000);
  let postgres: Postgres;
  before(async function () {
    postgres = await requirePostgres(this);
  });
  after(() => postgres?.[Symbol.asyncDispose]());

  const names = async (db: StateDatabase) =>
    (await db.selectFrom('settings').select('name').orderBy('name').execute()).map(({ name }) => name);

  it('is for one server at a time, and for the next when it ends', async () => {
    const url = await postgres.createDatabase();
    const useOnce = async () => {
      const db = await openPostgresState(url);
      await db.commit((unit) => unit.run(insertSetting, { name: crypto.randomUUID(), value: '' }));
      const seen = (await names(db)).length;
      await db.destroy();
      return seen;
    };
    const seen = await Promise.all([useOnce(), useOnce(), useOnce()]);
    assert.deepEqual(seen.sort(), [1, 2, 3]);
  });

  it('has the tables and columns that are in SQLite', async () => {
    await using folder = await temporaryFolder();
    const [sqlite, db] = [
      await openStateDatabase(folder.path),
      await openPostgresState(await postgres.createDatabase()),
    ];
    const columnsOf = async (of: StateDatabase) =>
      (await of.introspection.getTables())
        .filter(({ name }) => !name.startsWith('migrations'))
        .flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`))
        .sort();
    const expected = [...(await columnsOf(sqlite)), 'store_vectors.floats'].sort();
    assert.deepEqual(await columnsOf(db), expected);
    await sqlite.destroy();
    await db.destroy();
  });

  it('is lost with the connection that has its lock', async () => {
    const db = await openPostgresState(await postgres.createDatabase());
    await sql`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())`.execute(db);
    assert.match((await db.lost).message, /connection to the database was lost/);
    await db.destroy();
  });

  it('is refused when a newer version has used it', async () => {
    const url = await postgres.createDatabase();
    const db = await openPostgresState(url);
    await sql`insert into migrations values ('0099-later', 'now')`.execute(db);
    await db.destroy();
    await assert.rejects(openPostgresState(url), /written by a newer version of Agent Harbor/);
  });

  it('stores nothing of a unit that is refused or fails, and goes on with the next', async () => {
    const db = await openPostgresState(await postgres.createDatabase());
    const insert = (name: string) => ({ name, value: '' });
    const stored = db.commit((unit) => {
      unit.run(insertSetting, insert('a'));
      unit.expect(insertSetting, insert('b'), 'stale');
    });
    const refused = db.commit((unit) => {
      unit.run(insertSetting, insert('c'));
      unit.expect(insertSetting, insert('b'), 'stale');
      unit.run(insertSetting, insert('d'));
    });
    const failed = db.commit((unit) => {
      unit.run(insertSetting, insert('e'));
      unit.do(unit.build.insertInto('api_key_workspaces').values({ api_key_id: 'x', workspace_id: 'y' }));
    });
    const next = db.commit((unit) => unit.run(insertSetting, insert('f')));
    await stored;
    await assert.rejects(refused, (error) => isRefused(error, 'stale'));
    await assert.rejects(failed, /foreign key/);
    await next;
    assert.deepEqual(await names(db), ['a', 'b', 'f']);
    await db.destroy();
  });
});
