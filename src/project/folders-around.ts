import { homedir } from 'node:os';
import path from 'node:path';
import { filesOnDisk, type ProjectFiles } from './project-files.ts';

/** A project's folder and those around it, up to its repository's root, or the user's own folder. Innermost first. */
export async function listFoldersAround(
  dir: string,
  files: Pick<ProjectFiles, 'kind'> = filesOnDisk,
): Promise<string[]> {
  const folders: string[] = [];
  for (let folder = dir; ; folder = path.dirname(folder)) {
    folders.push(folder);
    const isOutermost = path.dirname(folder) === folder || folder === homedir();
    // A file in a worktree.
    if (isOutermost || (await files.kind(path.join(folder, '.git'))) !== undefined) return folders;
  }
}

/** A folder and all above it, innermost first. */
export function ancestorsOf(dir: string): string[] {
  const folders = [dir];
  for (let folder = path.dirname(dir); folder !== folders.at(-1); folder = path.dirname(folder))
    folders.push(folder);
  return folders;
}
