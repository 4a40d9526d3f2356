import type { Kysely } from 'kysely';
import { pause } from '../../process/pause.ts';
import { settled } from '../../process/settled.ts';
import { isRecordedKey, recordFirstKey } from '../control-plane/secrets/key-check.ts';
import { SecretBox } from '../control-plane/secrets/secret-box.ts';
import { DataFolderError } from '../storage/data-folder-error.ts';
import type { StateDatabase } from '../storage/state-database.ts';
import type { StateSchema } from '../storage/state-schema.ts';
import { deleteStaleKeyNotes, nameOfKey, readRetiringKey, storeKeyNote } from './secrets-key-notes.ts';

/** The interval at which a server with two keys checks which one is current. */
const CHECK_INTERVAL_MS = 1_000;

/**
 * The secret box of servers that share a database; all of them must have the same key.
 * @throws DataFolderError when the secrets in the database were stored with another key.
 */
export async function openSharedBox(key: Buffer, db: Kysely<StateSchema>): Promise<SecretBox> {
  const box = SecretBox.ofKey(key);
  await recordFirstKey(db, box);
  await findCurrent(db, [key]);
  return box;
}

/** A team's secrets key, or both keys during a rotation. */
interface SharedKeys {
  readonly secretsKey: Buffer;
  readonly newSecretsKey: Buffer | undefined;
}

/** The secret box of a server. It switches to the server's other key when that becomes the current one. */
export class FollowedBox {
  readonly box: SecretBox;
  readonly #db: StateDatabase;
  readonly #keys: readonly Buffer[];
  #current: Buffer;
  readonly #closing = new AbortController();

  private constructor(db: StateDatabase, keys: readonly Buffer[], current: Buffer) {
    const others = keys.filter((key) => key !== current);
    this.box = others[0] === undefined ? SecretBox.ofKey(current) : SecretBox.ofKeys(current, others[0]);
    this.#db = db;
    this.#keys = keys;
    this.#current = current;
  }

  /** @throws DataFolderError when secrets in the database are encrypted with a key that was not given. */
  static async open({ secretsKey, newSecretsKey }: SharedKeys, db: StateDatabase): Promise<FollowedBox> {
    const keys = newSecretsKey === undefined ? [secretsKey] : [secretsKey, newSecretsKey];
    await deleteStaleKeyNotes(db);
    // A rotation locks the settings: either it reads this record, or this server reads the current key after the
    // rotation has changed it.
    await storeKeyNote(db, db.node, { reads: keys.map(nameOfKey), writes: null });
    await recordFirstKey(db, SecretBox.ofKey(secretsKey));
    const followed = new FollowedBox(db, keys, await findCurrent(db, keys));
    await followed.#note();
    if (newSecretsKey !== undefined) void followed.#follow();
    return followed;
  }

  close(): void {
    this.#closing.abort();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await pause(CHECK_INTERVAL_MS, { signal });
      // Perhaps the database can be reached at the next check.
      if (!signal.aborted) await settled(this.#look());
    }
  }

  async #look(): Promise<void> {
    for (const key of this.#keys) {
      if (key === this.#current || !(await isRecordedKey(this.#db, SecretBox.ofKey(key)))) continue;
      this.box.use(key);
      await this.#note(key);
      this.#current = key;
    }
  }

  async #note(writes = this.#current): Promise<void> {
    const note = { reads: this.#keys.map(nameOfKey), writes: nameOfKey(writes) };
    await storeKeyNote(this.#db, this.#db.node, note);
  }
}

/**
 * The current key.
 * @throws DataFolderError when this server lacks a key with which secrets are, or may still be, encrypted.
 */
async function findCurrent(db: Kysely<StateSchema>, keys: readonly Buffer[]): Promise<Buffer> {
  for (const key of keys) {
    if (!(await isRecordedKey(db, SecretBox.ofKey(key)))) continue;
    const retiring = await readRetiringKey(db);
    if (retiring === undefined || keys.some((one) => nameOfKey(one) === retiring)) return key;
    throw new DataFolderError(
      'The secrets key is being changed, and secrets may still be encrypted with the previous one. Start this server with both: the previous one in AGENT_HARBOR_SECRETS_KEY, and the new one in AGENT_HARBOR_NEW_SECRETS_KEY.',
    );
  }
  throw new DataFolderError(
    'AGENT_HARBOR_SECRETS_KEY is not the key that encrypts the secrets in this database. Start this server with that key.',
  );
}
