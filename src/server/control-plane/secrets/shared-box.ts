import type { Kysely } from 'kysely';
import { DataFolderError } from '../../storage/data-folder-error.ts';
import type { StateSchema } from '../../storage/state-schema.ts';
import { SecretBox } from './secret-box.ts';

const NAME = 'secrets.check';

/**
 * The secret box of servers that share a database, which must have been given the same key.
 * @throws DataFolderError when the secrets in the database were stored with another key.
 */
export async function openSharedBox(key: Buffer, db: Kysely<StateSchema>): Promise<SecretBox> {
  const box = SecretBox.ofKey(key);
  const value = JSON.stringify(Buffer.from(box.seal(NAME, NAME)).toString('base64'));
  await db
    .insertInto('settings')
    .values({ name: NAME, value })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const stored = await db
    .selectFrom('settings')
    .select('value')
    .where('name', '=', NAME)
    .executeTakeFirstOrThrow();
  try {
    box.open(Buffer.from(stored.value, 'base64'), NAME);
  } catch (cause) {
    throw new DataFolderError(
      'AGENT_HARBOR_SECRETS_KEY is not the key that secrets in this database were stored with. Start this server with that key.',
      { cause },
    );
  }
  return box;
}
