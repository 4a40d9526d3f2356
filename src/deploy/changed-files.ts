import type { RevisionFile } from '../contract/control-plane/revision-files.ts';

/** A file with the hash of its content, which is absent for secrets. */
export type ComparedFile = Pick<RevisionFile, 'path' | 'sha256'>;

export interface FileChange {
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
}

/** The differences between two sets of files, by path. Secrets are never reported as changed. */
export function changedFiles(
  before: readonly ComparedFile[],
  after: readonly ComparedFile[],
): readonly FileChange[] {
  const oldFiles = new Map(before.map((file) => [file.path, file]));
  const newFiles = new Map(after.map((file) => [file.path, file]));
  return [...new Set([...oldFiles.keys(), ...newFiles.keys()])].sort().flatMap((path): FileChange[] => {
    const [oldFile, newFile] = [oldFiles.get(path), newFiles.get(path)];
    if (oldFile === undefined) return [{ path, change: 'added' }];
    if (newFile === undefined) return [{ path, change: 'removed' }];
    const isSame =
      oldFile.sha256 === newFile.sha256 || oldFile.sha256 === undefined || newFile.sha256 === undefined;
    return isSame ? [] : [{ path, change: 'changed' }];
  });
}
