import { sql } from 'kysely';
import { formatCount } from '../process/format-count.ts';
import { makeNextKey, openFolderBox, settleNextKey, useNextKey } from './control-plane/secrets/folder-key.ts';
import { isRecordedKey } from './control-plane/secrets/key-check.ts';
import { reseal } from './control-plane/secrets/reseal.ts';
import { DataFolder } from './data-folder.ts';
import type { KeyRotation } from './key-rotation.ts';
import { crashPoint } from './storage/crash-point.ts';
import { openStateDatabase } from './storage/sqlite-state.ts';

/**
 * Encrypts all secrets of a data folder with a new key, or those of a team with the given key. A rotation that was killed
 * can be repeated: it has changed either all secrets or none.
 * @param tell receives lines for the user.
 * @throws SecretBoxError, DataFolderError, DataFolderLockedError
 */
export async function rotateSecretsKey(
  rotation: KeyRotation,
  dataDir: string,
  version: string,
  tell: (line: string) => void,
): Promise<void> {
  if (rotation === 'folder') await rotateInFolder(dataDir, version, tell);
  else await (await import('./team/rotate-team-key.ts')).rotateTeamKey(rotation, tell);
}

async function rotateInFolder(dataDir: string, version: string, tell: (line: string) => void): Promise<void> {
  await using cleanup = new AsyncDisposableStack();
  const folder = await DataFolder.open(dataDir);
  cleanup.defer(() => folder.close());
  const db = await openStateDatabase(folder.dir, version);
  cleanup.defer(() => db.destroy());
  await settleNextKey(folder.dir, async (box) => (await isRecordedKey(db, box)) === true);
  const from = await openFolderBox(folder.dir);
  const to = await makeNextKey(folder.dir);
  crashPoint('key-made');
  // The old key is deleted only when the secrets encrypted with the new one are on disk.
  await sql`pragma synchronous = full`.execute(db);
  const count = await db.transaction().execute((transaction) => reseal(transaction, from, to));
  crashPoint('key-stored');
  await useNextKey(folder.dir);
  tell(
    `${formatCount(count, 'secret')} encrypted with a new key, which is in ${folder.dir}. Earlier backups need the earlier key.`,
  );
}
