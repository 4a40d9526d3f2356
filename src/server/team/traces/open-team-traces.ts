import { ObjectSupply } from '../../storage/object-supply.ts';
import type { TeamTraces } from '../../traces-thread/worker-data.ts';
import { PostgresBlobs } from './postgres-blobs.ts';
import { openPostgresTraces } from './postgres-traces.ts';

/** Opens the traces of a team, for the thread that writes or for the one that reads. @throws DataFolderError */
export async function openTeamTraces({ url, link, maintains }: TeamTraces, role: 'write' | 'read') {
  const db = await openPostgresTraces({ url, thread: new URL(link), maintains }, role);
  const objects = new ObjectSupply();
  return { db, blobs: new PostgresBlobs(db, objects), objects, linkSecret: db.linkSecret };
}
