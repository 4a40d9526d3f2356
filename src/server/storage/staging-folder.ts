import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { openingFile } from './opening-file.ts';

/** The folder for large parts of requests, before the requests have been checked. */
export function stagingFolder(dataDir: string): string {
  return path.join(dataDir, 'blobs', 'staging');
}

/** Creates the staging folder, and removes files of requests that a crash interrupted. @throws DataFolderError */
export async function prepareStaging(dataDir: string): Promise<void> {
  const folder = stagingFolder(dataDir);
  await openingFile(folder, async () => {
    await mkdir(folder, { recursive: true });
    const left = await readdir(folder);
    // Windows refuses to delete a file that another program has open; the next start tries again.
    await Promise.allSettled(
      left.map((name) => rm(path.join(folder, name), { recursive: true, force: true })),
    );
  });
}
