import { rm, writeFile } from 'node:fs/promises';
import { replace } from './replace.ts';

/**
 * Writes a file that only this user can read. It is always a new file: a link in its place is not followed.
 * @throws the error of the file system; EEXIST when the file was created in the meantime.
 */
export async function writePrivateFile(file: string, content: string): Promise<void> {
  await rm(file, { force: true });
  await writeFile(file, content, { mode: 0o600, flag: 'wx', flush: true });
}

/**
 * Replaces a file that only this user can read; after a crash, it has the old content or the new.
 * @throws FileInUseError, otherwise the error of the file system.
 */
export async function replacePrivateFile(file: string, content: string): Promise<void> {
  const temporary = `${file}.new`;
  await writePrivateFile(temporary, content);
  await replace(temporary, file);
}
