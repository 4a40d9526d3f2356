import { rm, stat, writeFile } from 'node:fs/promises';
import { replace } from './replace.ts';

const ROOT = 0;

/**
 * Writes a file that only this user can read. It is always a new file: a link in its place is not followed.
 * @throws the error of the file system; EEXIST when the file was created in the meantime.
 */
export async function writePrivateFile(file: string, content: string): Promise<void> {
  await rm(file, { force: true });
  await writeFile(file, content, { mode: 0o600, flag: 'wx', flush: true });
}

/** Replaces a file that only this user can read; after a crash, it has the old content or the new. */
export async function replacePrivateFile(file: string, content: string): Promise<void> {
  const temporary = `${file}.new`;
  await writePrivateFile(temporary, content);
  await replace(temporary, file);
}

/**
 * Why a folder must not hold this user's keys and data; undefined if it may.
 * @throws the error of the file system.
 */
export async function explainForeignFolder(dir: string): Promise<string | undefined> {
  const self = process.getuid?.();
  // On Windows, files have no numeric owners to compare.
  if (self === undefined) return undefined;
  const { uid } = await stat(dir);
  if (isTrusted(uid, self)) return undefined;
  return `it belongs to another user (uid ${uid}), who could read and replace what is kept in it`;
}

/**
 * Whether a folder's owner may access this user's files: root can anyway, and volumes of containers often belong to
 * root.
 */
export function isTrusted(owner: number, self: number): boolean {
  return owner === self || owner === ROOT;
}
