import type { Client } from '../client/client.ts';
import type { RevisionFile, RevisionFiles } from '../contract/control-plane/revision-files.ts';

/**
 * The maximum number of revisions per client whose files are remembered. A revision's files never change.
 */
const MAX_REMEMBERED = 4;

export interface RevisionPlace {
  readonly deploymentId: string;
  readonly revisionId: string;
}

type ControlPlaneClient = Pick<Client, 'controlPlane'>;
const remembered = new WeakMap<ControlPlaneClient, Map<string, Promise<RevisionFiles>>>();

/**
 * Reads the files that a revision was made from. The files of the last few revisions are remembered for each
 * client.
 * @throws RequestError
 */
export function readRevisionFiles(
  client: ControlPlaneClient,
  { deploymentId, revisionId }: RevisionPlace,
): Promise<RevisionFiles> {
  const known = remembered.get(client) ?? new Map<string, Promise<RevisionFiles>>();
  remembered.set(client, known);
  const before = known.get(revisionId);
  if (before !== undefined) return before;
  const params = { deployment_id: deploymentId, revision_id: revisionId };
  const read = client.controlPlane.revisionFiles.list({ params });
  known.set(revisionId, read);
  // This caller gets the error, and the next call tries again.
  read.catch(() => known.delete(revisionId));
  const [oldest] = known.keys();
  if (known.size > MAX_REMEMBERED && oldest !== undefined) known.delete(oldest);
  return read;
}

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
