import type { Client } from '../client/client.ts';
import type { RevisionFiles } from '../contract/control-plane/revision-files.ts';

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
