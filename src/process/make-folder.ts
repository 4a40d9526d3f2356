import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Creates a folder and its parents, if missing. Node's option `recursive` is not used, because it retries forever where
 * the system answers ENOENT although the parent exists, as Linux does below `/proc`.
 * @param mode the mode of each folder that is created, where the system has modes.
 * @throws NodeJS.ErrnoException
 */
export async function makeFolder(folder: string, mode?: number): Promise<void> {
  const parent = path.dirname(folder);
  try {
    await mkdir(folder, { mode });
  } catch (error) {
    if (await isFolder(folder)) return;
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT') || parent === folder)
      throw error;
    await makeFolder(parent, mode);
    await mkdir(folder, { mode }).catch(async (second: unknown) => {
      if (!(await isFolder(folder))) throw second;
    });
  }
}

async function isFolder(name: string): Promise<boolean> {
  return stat(name).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
