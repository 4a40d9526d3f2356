import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { KEPT_TABLES, MOVED_TABLES } from '../../../src/server/moving/moved-tables.ts';
import { SEALED_COLUMNS } from '../../../src/server/moving/sealed-columns.ts';
import { stateStructure } from '../../../src/server/storage/state-structure.ts';

describe('a move to a team', () => {
  const database = new DatabaseSync(':memory:');
  before(() => database.exec(stateStructure));
  after(() => database.close());

  it('knows every table of state.db', () => {
    const tables = database
      .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
      .all();
    assert.deepEqual(tables.map(({ name }) => String(name)).sort(), [...MOVED_TABLES, ...KEPT_TABLES].sort());
  });

  it('seals every sealed column again', () => {
    const sealed = MOVED_TABLES.flatMap((table) =>
      database
        .prepare('select name from pragma_table_info(?)')
        .all(table)
        .filter(({ name }) => String(name).startsWith('sealed'))
        .map(({ name }) => `${table}.${name}`),
    );
    const known = Object.entries(SEALED_COLUMNS).flatMap(([table, columns]) =>
      Object.keys(columns).map((column) => `${table}.${column}`),
    );
    assert.deepEqual(known.sort(), sealed.sort());
  });
});
