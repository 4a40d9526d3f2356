import { ObjectSupply } from '../../storage/object-supply.ts';
import type { TeamTraces } from '../../traces-thread/worker-data.ts';
import type { ReplicaOutcome } from '../../traces-thread/worker-protocol.ts';
import { PostgresBlobs } from './postgres-blobs.ts';
import { openPostgresTraces } from './postgres-traces.ts';
import { openReplicatedTraces } from './replicated-traces.ts';

/**
 * Opens the traces of a team for the writing thread or a reading thread.
 * @returns the database, its payloads and the objects that were fetched for them, and the secret of links to
 * attachments. Queries that only read are passed to `ask`, if there is a replica.
 * @param tell receives the outcome of each query that a replica could have answered.
 * @throws DataFolderError
 */
export async function openTeamTraces(
  { url, replica, link, maintains }: TeamTraces,
  role: 'write' | 'read',
  tell: (outcome: ReplicaOutcome) => void,
) {
  const thread = new URL(link);
  const { db, ask } =
    role === 'write' || replica === undefined
      ? { db: await openPostgresTraces({ url, thread, maintains }, role), ask: undefined }
      : await openReplicatedTraces({ url, replica, thread }, tell);
  const objects = new ObjectSupply();
  return { db, ask, blobs: new PostgresBlobs(db, objects), objects, linkSecret: db.linkSecret };
}
