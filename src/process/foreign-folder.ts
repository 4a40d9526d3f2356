import { stat } from 'node:fs/promises';

const ROOT = 0;

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
