import type { Kysely } from 'kysely';
import { isKeyOf, noteFirstKey } from '../control-plane/secrets/key-check.ts';
import { SecretBox } from '../control-plane/secrets/secret-box.ts';
import { DataFolderError } from '../storage/data-folder-error.ts';
import type { StateSchema } from '../storage/state-schema.ts';

/**
 * The secret box of servers that share a database, which must have been given the same key.
 * @throws DataFolderError when the secrets in the database were stored with another key.
 */
export async function openSharedBox(key: Buffer, db: Kysely<StateSchema>): Promise<SecretBox> {
  const box = SecretBox.ofKey(key);
  await noteFirstKey(db, box);
  if (!(await isKeyOf(db, box)))
    throw new DataFolderError(
      'AGENT_HARBOR_SECRETS_KEY is not the key that secrets in this database were stored with. Start this server with that key.',
    );
  return box;
}
