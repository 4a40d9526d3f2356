import type { DatabaseSync } from 'node:sqlite';
import { isOfTraces, type MovedTable } from './moved-tables.ts';
import { type Column, keyColumns } from './row.ts';

/**
 * The columns of a table in a folder's `state.db`, to which `traces.db` is attached. A table without a key
 * uses the row number.
 */
export function columnsIn(database: DatabaseSync, table: MovedTable): Column[] {
  const [schema, name] = isOfTraces(table) ? table.split('.') : ['main', table];
  const columns = database
    .prepare('select name, pk from pragma_table_info(?, ?) order by cid')
    .all(name ?? '', schema ?? '')
    .map(({ name, pk }) => ({ name: String(name), keyPlace: Number(pk) }));
  return keyColumns(columns).length > 0 ? columns : [{ name: 'rowid', keyPlace: 1 }, ...columns];
}
