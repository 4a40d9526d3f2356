import { formatCount } from '../../../process/format-count.ts';
import { MoveError } from './move-error.ts';
import type { MovedTable } from './moved-tables.ts';
import { type Column, type Row, RowDigest } from './row.ts';

/**
 * Compares the rows of a table by their number and a hash of their contents.
 * @returns how many rows there are.
 * @throws MoveError when the two sides differ.
 */
export async function compareRows(
  table: MovedTable,
  columns: readonly Column[],
  { folder, database }: { readonly folder: Iterable<Row>; readonly database: AsyncIterable<Row> },
): Promise<number> {
  const inFolder = new RowDigest();
  for (const row of folder) inFolder.add(row, columns);
  const inDatabase = new RowDigest();
  for await (const row of database) inDatabase.add(row, columns);
  if (inFolder.rows !== inDatabase.rows || inFolder.end() !== inDatabase.end())
    throw new MoveError(
      `${table} differs: ${formatCount(inFolder.rows, 'row')} in the folder, ${inDatabase.rows.toLocaleString('en')} in the database${inFolder.rows === inDatabase.rows ? ', with other contents' : ''}. The copy cannot be used. Move into an empty database, or a new folder.`,
    );
  return inDatabase.rows;
}

/** Changes rows one by one, as they are read. */
export function* mapRows(rows: Iterable<Row>, change: (row: Row) => Row): Generator<Row> {
  for (const row of rows) yield change(row);
}

/** Changes rows one by one, as they arrive. */
export async function* mapRowsLater(
  rows: AsyncIterable<Row>,
  change: (row: Row) => Row,
): AsyncGenerator<Row> {
  for await (const row of rows) yield change(row);
}
