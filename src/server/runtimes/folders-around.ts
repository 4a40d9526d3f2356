import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';

/** A project's folder and those around it, up to its repository's root, or the user's own folder. Innermost first. */
export async function listFoldersAround(dir: string): Promise<string[]> {
  const folders: string[] = [];
  for (let folder = dir; ; folder = path.dirname(folder)) {
    folders.push(folder);
    const isOutermost = path.dirname(folder) === folder || folder === homedir();
    if (isOutermost || (await isRepository(folder))) return folders;
  }
}

function isRepository(folder: string): Promise<boolean> {
  return access(path.join(folder, '.git')).then(
    () => true,
    () => false,
  );
}
