import { SEALED_TABLES } from '../../control-plane/secrets/sealed-tables.ts';
import type { SecretBox } from '../../control-plane/secrets/secret-box.ts';
import type { MovedTable } from './moved-tables.ts';
import type { Row, Value } from './row.ts';

/** The functions that return the associated data of a row's encrypted values, by column. */
type AssociatedData = Readonly<Record<string, (row: Row) => string>>;

/** The encryption of the two sides of a move. */
export interface Boxes {
  readonly from: SecretBox;
  readonly to: SecretBox;
}

/** Changes an encrypted value of a row, for example to one that is encrypted with another key. */
export type ChangeSecret = (sealed: Uint8Array, associated: string) => Value;

/** Encrypts values for the other side. Without boxes, values stay unchanged. */
export function reencrypt(boxes: Boxes | undefined): ChangeSecret {
  return (sealed, associated) => boxes?.to.seal(boxes.from.open(sealed, associated), associated) ?? sealed;
}

/** Decrypts values, to compare them with those of the other side. Without a box, values stay unchanged. */
export function decrypt(box: SecretBox | undefined): ChangeSecret {
  return (sealed, associated) => box?.open(sealed, associated) ?? sealed;
}

/** The encrypted columns, each with a function that returns the associated data of a row's value. */
export const SEALED_COLUMNS: Partial<Record<MovedTable, AssociatedData>> = Object.fromEntries(
  Object.entries(SEALED_TABLES).map(([table, { columns }]) => [table, columns]),
);

/** A row with its secrets decrypted. Without a box, the row is unchanged. */
export function openSecrets(table: MovedTable, row: Row, box: SecretBox | undefined): Row {
  const sealed = SEALED_COLUMNS[table];
  if (sealed === undefined || box === undefined) return row;
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      const associatedOf = sealed[column];
      const isSealed = associatedOf !== undefined && value instanceof Uint8Array;
      return [column, isSealed ? box.open(value, associatedOf(row)) : value];
    }),
  );
}
