import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { stateStructure } from '../../../../src/server/storage/state-structure.ts';
import {
  isOfTraces,
  KEPT_TABLES,
  KEPT_TRACES_TABLES,
  MOVED_TABLES,
} from '../../../../src/server/team/moving/moved-tables.ts';
import { SEALED_COLUMNS } from '../../../../src/server/team/moving/sealed-columns.ts';
import { openTracesDatabase } from '../../../../src/server/tracing/database/sqlite-traces.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('a move to a team', () => {
  const database = new DatabaseSync(':memory:');
  before(() => database.exec(stateStructure));
  after(() => database.close());

  it('knows every table of state.db', () => {
    const tables = database
      .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
      .all();
    const moved = MOVED_TABLES.filter((table) => !isOfTraces(table));
    assert.deepEqual(tables.map(({ name }) => String(name)).sort(), [...moved, ...KEPT_TABLES].sort());
  });

  it('knows every table of traces.db', async () => {
    await using folder = await temporaryFolder();
    const traces = await openTracesDatabase(folder.path);
    const tables = traces
      .statement(
        "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like 'runs_words_%'",
      )
      .all();
    traces.close();
    const moved = MOVED_TABLES.filter(isOfTraces).map((table) => table.split('.')[1]);
    assert.deepEqual(tables.map(({ name }) => String(name)).sort(), [...moved, ...KEPT_TRACES_TABLES].sort());
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
