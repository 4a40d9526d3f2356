import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { link, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { writePrivateFile } from '../../../process/private-files.ts';
import { DataFolderError, openingFile } from '../../storage/data-folder-error.ts';

const KEY_FILE = 'secrets.key';
const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Decryption failed: another key file, another place, or damaged bytes. */
export class SecretBoxError extends Error {
  override readonly name = 'SecretBoxError';
}

/**
 * Encrypts secrets in the database, with a key in a separate file that only its owner can read, so that the
 * database alone reveals nothing.
 */
export class SecretBox {
  readonly #key: Buffer;

  private constructor(key: Buffer) {
    this.#key = key;
  }

  /**
   * Reads the data folder's key; the first time it makes one.
   * @throws DataFolderError when the file cannot be read or holds no key.
   */
  static async open(dataDir: string): Promise<SecretBox> {
    const file = path.join(dataDir, KEY_FILE);
    return openingFile(file, async () => SecretBox.#ofFile(file, (await read(file)) ?? (await create(file))));
  }

  /**
   * Reads the key of a data folder that nothing is to be changed in.
   * @throws DataFolderError when there is none.
   */
  static async openExisting(dataDir: string): Promise<SecretBox> {
    const file = path.join(dataDir, KEY_FILE);
    return openingFile(file, async () => {
      const key = await read(file);
      if (key === undefined) throw new DataFolderError(`${file} is missing. Restore it.`);
      return SecretBox.#ofFile(file, key);
    });
  }

  static #ofFile(file: string, key: Buffer): SecretBox {
    if (key.length !== 32) {
      throw new DataFolderError(`${file} is damaged. Restore it, or delete it and set all secrets again.`);
    }
    return new SecretBox(key);
  }

  /** @param key of 32 bytes. */
  static ofKey(key: Buffer): SecretBox {
    return new SecretBox(key);
  }

  /** @param place what the text belongs to, such as a row ID; it can only be decrypted there. */
  seal(text: string, place: string): Uint8Array {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key, nonce).setAAD(Buffer.from(place));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  }

  /** @throws SecretBoxError */
  open(sealed: Uint8Array, place: string): string {
    const bytes = Buffer.from(sealed);
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
    try {
      const decipher = createDecipheriv(ALGORITHM, this.#key, nonce, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(place))
        .setAuthTag(tag);
      return (
        decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      );
    } catch (cause) {
      throw new SecretBoxError(
        `Could not decrypt a stored secret: ${KEY_FILE} in the data folder is not the key it was stored with.`,
        { cause },
      );
    }
  }
}

async function read(file: string): Promise<Buffer | undefined> {
  try {
    return Buffer.from(await readFile(file, 'utf8'), 'base64');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Written completely and then linked, because a truncated key would be worse than none. */
async function create(file: string): Promise<Buffer> {
  const key = randomBytes(32);
  const temporary = `${file}.new`;
  await writePrivateFile(temporary, `${key.toString('base64')}\n`);
  await link(temporary, file);
  await rm(temporary);
  return key;
}
