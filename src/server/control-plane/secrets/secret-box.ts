import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Decryption failed: the key or the associated data is wrong, or bytes are damaged. */
export class SecretBoxError extends Error {
  override readonly name = 'SecretBoxError';
}

/**
 * Encrypts secrets in the database, with a key in a separate file that only its owner can read, so that the
 * database alone reveals nothing.
 */
export class SecretBox {
  static readonly KEY_BYTES = 32;
  #key: Buffer;
  /** One key, or two while a rotation is in progress. */
  readonly #keys: readonly Buffer[];

  private constructor(key: Buffer, ...others: readonly Buffer[]) {
    this.#key = key;
    this.#keys = [key, ...others];
  }

  /** @param key 32 bytes. */
  static ofKey(key: Buffer): SecretBox {
    return new SecretBox(key);
  }

  /** Encrypts with a key, and decrypts what was encrypted with either. */
  static ofKeys(key: Buffer, other: Buffer): SecretBox {
    return new SecretBox(key, other);
  }

  /**
   * Encrypts with another key from now on.
   * @param key one of the two keys, so that its secrets can also be decrypted.
   */
  use(key: Buffer): void {
    this.#key = key;
  }

  /**
   * Encrypts a text.
   * @param associated its associated data, which is needed to decrypt it; see `associatedData`.
   */
  seal(text: string, associated: string): Uint8Array {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key, nonce).setAAD(Buffer.from(associated));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  }

  /**
   * Decrypts a text.
   * @param associated the associated data with which it was encrypted.
   * @throws SecretBoxError
   */
  open(sealed: Uint8Array, associated: string): string {
    let cause: unknown;
    for (const key of this.#keys) {
      try {
        return decrypt(key, sealed, associated);
      } catch (error) {
        cause ??= error;
      }
    }
    throw new SecretBoxError(
      'Could not decrypt a stored secret, because it was encrypted with another key. Restore that key (secrets.key in the data folder, or the key of the team), or set the secret again.',
      { cause },
    );
  }
}

function decrypt(key: Buffer, sealed: Uint8Array, associated: string): string {
  const bytes = Buffer.from(sealed);
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(associated))
    .setAuthTag(tag);
  return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
}
