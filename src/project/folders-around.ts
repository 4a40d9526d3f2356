import { homedir } from 'node:os';
import path from 'node:path';
import { filesOnDisk, type ProjectFiles } from './project-files.ts';

/**
 * Lists a project's folder and its ancestors, innermost first, up to the root of its repository, the user's home folder,
 * or the root of the disk.
 */
export async function listFoldersAround(
  dir: string,
  files: Pick<ProjectFiles, 'kind'> = filesOnDisk,
): Promise<string[]> {
  const folders: string[] = [];
  for (let folder = dir; ; folder = path.dirname(folder)) {
    folders.push(folder);
    const isOutermost = path.dirname(folder) === folder || folder === homedir();
    // In a worktree, `.git` is a file.
    if (isOutermost || (await files.kind(path.join(folder, '.git'))) !== undefined) return folders;
  }
}

/** A folder and its ancestors, innermost first. */
export function ancestorsOf(dir: string): string[] {
  const folders = [dir];
  for (let folder = path.dirname(dir); folder !== folders.at(-1); folder = path.dirname(folder))
    folders.push(folder);
  return folders;
}
