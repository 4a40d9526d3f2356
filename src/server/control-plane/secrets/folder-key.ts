import { randomBytes } from 'node:crypto';
import { link, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileSystemCode } from '../../../process/error-codes.ts';
import { writePrivateFile } from '../../../process/private-files.ts';
import { replace } from '../../../process/replace.ts';
import { DataFolderError } from '../../storage/data-folder-error.ts';
import { openingFile } from '../../storage/opening-file.ts';
import { SecretBox } from './secret-box.ts';

const KEY_FILE = 'secrets.key';
/** The file of the new key during a rotation, until all secrets are encrypted with it. */
const NEXT_FILE = `${KEY_FILE}.next`;

/**
 * Reads the key of a data folder, or creates it the first time.
 * @throws DataFolderError when the file cannot be read or contains no key.
 */
export async function openFolderBox(dataDir: string): Promise<SecretBox> {
  const file = path.join(dataDir, KEY_FILE);
  return openingFile(file, async () => boxOf(file, (await readKey(file)) ?? (await createKey(file))));
}

/**
 * Reads the key of a data folder without changing anything.
 * @throws DataFolderError when there is none, or when an unfinished rotation leaves open which key is valid.
 */
export async function openExistingFolderBox(dataDir: string): Promise<SecretBox> {
  const file = path.join(dataDir, KEY_FILE);
  return openingFile(file, async () => {
    const key = await readKey(file);
    if (key === undefined) throw new DataFolderError(`${file} is missing. Restore it.`);
    if ((await readKey(path.join(dataDir, NEXT_FILE))) !== undefined)
      throw new DataFolderError(
        `A rotation of the key in ${dataDir} was interrupted. Run agent-harbor rotate-secrets-key on the folder again.`,
      );
    return boxOf(file, key);
  });
}

/** Creates the key for a rotation, and stores it next to the current one. */
export async function makeNextKey(dataDir: string): Promise<SecretBox> {
  const key = randomBytes(SecretBox.KEY_BYTES);
  await writePrivateFile(path.join(dataDir, NEXT_FILE), textOf(key));
  return SecretBox.ofKey(key);
}

/** Makes the next key the current one. */
export async function useNextKey(dataDir: string): Promise<void> {
  await replace(path.join(dataDir, NEXT_FILE), path.join(dataDir, KEY_FILE));
}

/**
 * Completes or discards a rotation that was killed. Its transaction encrypted either all secrets with the next key, or
 * none.
 * @param isUsed whether the secrets of the folder are encrypted with this key.
 */
export async function settleNextKey(
  dataDir: string,
  isUsed: (box: SecretBox) => Promise<boolean>,
): Promise<void> {
  const file = path.join(dataDir, NEXT_FILE);
  const key = await readKey(file);
  if (key === undefined) return;
  // An incomplete key cannot have been used.
  if (key.length === SecretBox.KEY_BYTES && (await isUsed(SecretBox.ofKey(key)))) await useNextKey(dataDir);
  else await rm(file);
}

function boxOf(file: string, key: Buffer): SecretBox {
  if (key.length !== SecretBox.KEY_BYTES) {
    throw new DataFolderError(`${file} is damaged. Restore it, or delete it and set all secrets again.`);
  }
  return SecretBox.ofKey(key);
}

/** Reads a key file. @returns undefined if it does not exist. */
async function readKey(file: string): Promise<Buffer | undefined> {
  try {
    return Buffer.from(await readFile(file, 'utf8'), 'base64');
  } catch (error) {
    if (fileSystemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Creates a key file. It gets its name once it is complete, because a truncated key would be worse than none. */
async function createKey(file: string): Promise<Buffer> {
  const key = randomBytes(SecretBox.KEY_BYTES);
  const temporary = `${file}.new`;
  await writePrivateFile(temporary, textOf(key));
  await link(temporary, file);
  await rm(temporary);
  return key;
}

function textOf(key: Buffer): string {
  return `${key.toString('base64')}\n`;
}
