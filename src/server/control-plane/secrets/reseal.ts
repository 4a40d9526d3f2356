import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { StateSchema } from '../../storage/state-schema.ts';
import { recordKey } from './key-check.ts';
import { SEALED_TABLES } from './sealed-tables.ts';
import { type SecretBox, SecretBoxError } from './secret-box.ts';

const Row = z.record(z.string(), z.union([z.string(), z.instanceof(Uint8Array), z.null()]));

/**
 * Encrypts every secret of a database with another key, and records that key.
 * @param db a transaction.
 * @returns how many secrets were encrypted with the previous key.
 * @throws SecretBoxError for a secret that neither key decrypts.
 */
export async function reseal(db: Kysely<StateSchema>, from: SecretBox, to: SecretBox): Promise<number> {
  const count = await resealLeft(db, from, to);
  await recordKey(db, to);
  return count;
}

/**
 * Encrypts with another key the secrets that are still encrypted with the previous one. Secrets that a server stores in
 * the meantime are not overwritten.
 * @returns how many secrets were encrypted again.
 * @throws SecretBoxError for a secret that neither key decrypts.
 */
export async function resealLeft(db: Kysely<StateSchema>, from: SecretBox, to: SecretBox): Promise<number> {
  let count = 0;
  for (const [table, { key, columns }] of Object.entries(SEALED_TABLES)) {
    const names = [...key, ...Object.keys(columns)].map((name) => sql.ref(name));
    const found = await sql`select ${sql.join(names)} from ${sql.table(table)}`.execute(db);
    for (const row of found.rows.map((values) => Row.parse(values))) {
      for (const [column, associatedOf] of Object.entries(columns)) {
        const value = row[column];
        const associated = associatedOf(row);
        if (!(value instanceof Uint8Array) || isSealedWith(to, value, associated)) continue;
        const sealed = to.seal(from.open(value, associated), associated);
        const isRow = [
          ...key.map((name) => sql`${sql.ref(name)} = ${row[name]}`),
          sql`${sql.ref(column)} = ${value}`,
        ];
        await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sealed} where ${sql.join(isRow, sql` and `)}`.execute(
          db,
        );
        count++;
      }
    }
  }
  return count;
}

function isSealedWith(box: SecretBox, value: Uint8Array, associated: string): boolean {
  try {
    box.open(value, associated);
    return true;
  } catch (error) {
    if (error instanceof SecretBoxError) return false;
    throw error;
  }
}
