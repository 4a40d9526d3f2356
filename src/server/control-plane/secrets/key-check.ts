import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { StateSchema } from '../../storage/state-schema.ts';
import { type SecretBox, SecretBoxError } from './secret-box.ts';

/** The setting with a known text, encrypted with the secrets key. It shows whether a key is the right one. */
const NAME = 'secrets.check';

/** Records the key that encrypts the secrets, unless one is already recorded. */
export async function recordFirstKey(db: Kysely<StateSchema>, box: SecretBox): Promise<void> {
  await db
    .insertInto('settings')
    .values({ name: NAME, value: checkOf(box) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Records the key that encrypts the secrets from now on. */
export async function recordKey(db: Kysely<StateSchema>, box: SecretBox): Promise<void> {
  const value = checkOf(box);
  await db
    .insertInto('settings')
    .values({ name: NAME, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

/** Whether a key is the one that encrypts the secrets; undefined if none was recorded. */
export async function isRecordedKey(db: Kysely<StateSchema>, box: SecretBox): Promise<boolean | undefined> {
  const stored = await db.selectFrom('settings').select('value').where('name', '=', NAME).executeTakeFirst();
  if (stored === undefined) return undefined;
  try {
    box.open(Buffer.from(z.string().parse(JSON.parse(stored.value)), 'base64'), NAME);
    return true;
  } catch (error) {
    if (error instanceof SecretBoxError) return false;
    throw error;
  }
}

/** The setting's value, as JSON. */
function checkOf(box: SecretBox): string {
  return JSON.stringify(Buffer.from(box.seal(NAME, NAME)).toString('base64'));
}
