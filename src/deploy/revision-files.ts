import type { Client } from '../client/client.ts';
import type { RevisionFile, RevisionFiles } from '../contract/control-plane/revision-files.ts';

/** Revisions whose files are remembered; they never change. */
const MAX_REMEMBERED = 4;

export interface RevisionPlace {
  readonly deploymentId: string;
  readonly revisionId: string;
}

type Asked = Pick<Client, 'controlPlane'>;
const remembered = new WeakMap<Asked, Map<string, Promise<RevisionFiles>>>();

/**
 * The files that a revision was made from. Those read last are remembered by client.
 * @throws RequestError
 */
export function readRevisionFiles(
  client: Asked,
  { deploymentId, revisionId }: RevisionPlace,
): Promise<RevisionFiles> {
  const known = remembered.get(client) ?? new Map<string, Promise<RevisionFiles>>();
  remembered.set(client, known);
  const before = known.get(revisionId);
  if (before !== undefined) return before;
  const params = { deployment_id: deploymentId, revision_id: revisionId };
  const read = client.controlPlane.revisionFiles.list({ params });
  known.set(revisionId, read);
  // The caller gets the error, and the next one tries again.
  read.catch(() => known.delete(revisionId));
  const [oldest] = known.keys();
  if (known.size > MAX_REMEMBERED && oldest !== undefined) known.delete(oldest);
  return read;
}

/** A file, and what tells whether it has changed. */
export type ComparedFile = Pick<RevisionFile, 'path' | 'sha256'>;

export interface FileChange {
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
}

/** Compares two sets of files, by path. Nothing is known about the content of secrets. */
export function changedFiles(
  before: readonly ComparedFile[],
  after: readonly ComparedFile[],
): readonly FileChange[] {
  const old = new Map(before.map((file) => [file.path, file]));
  const now = new Map(after.map((file) => [file.path, file]));
  return [...new Set([...old.keys(), ...now.keys()])].sort().flatMap((path): FileChange[] => {
    const [was, is] = [old.get(path), now.get(path)];
    if (was === undefined) return [{ path, change: 'added' }];
    if (is === undefined) return [{ path, change: 'removed' }];
    const isSame = was.sha256 === is.sha256 || was.sha256 === undefined || is.sha256 === undefined;
    return isSame ? [] : [{ path, change: 'changed' }];
  });
}
