import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readlink } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ifPresent } from '../process/if-present.ts';
import { isSecretFile } from './secret-files.ts';
import { listSourceFiles } from './source-files.ts';
import { isToolOutput } from './tool-output.ts';

/** A file that would be deployed. */
interface FolderFile {
  /** Relative to the folder, with slashes. */
  readonly path: string;
  /** The hash of its content; absent for files with secrets. */
  readonly sha256?: string;
}

/**
 * Lists the files of a folder that would be deployed, in the form in which the platform lists those of a revision.
 * @throws Error without git
 */
export async function listFolderFiles(top: string): Promise<FolderFile[]> {
  const files: FolderFile[] = [];
  for (const name of await listSourceFiles(top)) {
    if (isToolOutput(name)) continue;
    const file = path.join(top, name);
    const info = await ifPresent(lstat(file));
    // Git also lists deleted files, and repositories inside the repository as folders.
    if (info === undefined || info.isDirectory()) continue;
    const hash = createHash('sha256');
    if (info.isSymbolicLink()) hash.update(await readlink(file));
    else await pipeline(createReadStream(file), hash);
    files.push({ path: name, ...(!isSecretFile(name) && { sha256: hash.digest('hex') }) });
  }
  return files;
}
