import { SEALED_TABLES } from '../../control-plane/secrets/sealed-tables.ts';
import type { SecretBox } from '../../control-plane/secrets/secret-box.ts';
import type { MovedTable } from './moved-tables.ts';
import type { Row } from './row.ts';

type Places = Readonly<Record<string, (row: Row) => string>>;

/** The encrypted columns, each with a function that returns the associated data of a row's value. */
export const SEALED_COLUMNS: Partial<Record<MovedTable, Places>> = Object.fromEntries(
  Object.entries(SEALED_TABLES).map(([table, { columns }]) => [table, columns]),
);

/** A row with its secrets decrypted. */
export function openSecrets(table: MovedTable, row: Row, box: SecretBox | undefined): Row {
  const sealed = SEALED_COLUMNS[table];
  if (sealed === undefined || box === undefined) return row;
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      const place = sealed[column];
      return [
        column,
        place !== undefined && value instanceof Uint8Array ? box.open(value, place(row)) : value,
      ];
    }),
  );
}
