import type { Kysely } from 'kysely';
import type { StateSchema } from '../../storage/state-schema.ts';
import { type SecretBox, SecretBoxError } from './secret-box.ts';

/** The setting that shows which key encrypts all secrets. */
const NAME = 'secrets.check';

/** Records the key that encrypts the secrets, unless one is already recorded. */
export async function noteFirstKey(db: Kysely<StateSchema>, box: SecretBox): Promise<void> {
  await db
    .insertInto('settings')
    .values({ name: NAME, value: checkOf(box) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Records the key that encrypts the secrets from now on. */
export async function noteKey(db: Kysely<StateSchema>, box: SecretBox): Promise<void> {
  const value = checkOf(box);
  await db
    .insertInto('settings')
    .values({ name: NAME, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

/** Whether a key encrypts the secrets; undefined if that was never recorded. */
export async function isKeyOf(db: Kysely<StateSchema>, box: SecretBox): Promise<boolean | undefined> {
  const stored = await db.selectFrom('settings').select('value').where('name', '=', NAME).executeTakeFirst();
  if (stored === undefined) return undefined;
  try {
    box.open(Buffer.from(stored.value, 'base64'), NAME);
    return true;
  } catch (error) {
    if (error instanceof SecretBoxError) return false;
    throw error;
  }
}

function checkOf(box: SecretBox): string {
  return JSON.stringify(Buffer.from(box.seal(NAME, NAME)).toString('base64'));
}
