import { type Kysely, sql } from 'kysely';
import type { StateSchema } from '../storage/state-schema.ts';

/** The columns that contain data of runs and callers, by table, in tables whose rows belong to a thread. */
const THREAD_COLUMNS = {
  checkpoints: ['data', 'channel_versions', 'metadata'],
  checkpoint_blobs: ['data'],
  checkpoint_writes: ['data'],
  exchanges: ['data'],
  exchange_parts: ['data'],
  replays: ['data'],
} as const;
/** The same columns in tables whose rows name their deployment. */
const DEPLOYMENT_COLUMNS = {
  threads: ['values', 'metadata', 'interrupts'],
  runs: ['kwargs', 'metadata'],
  store_items: ['value'],
  store_vectors: ['vector'],
} as const;

/** The bytes of a workspace's threads with their checkpoints, runs and recordings, and of its store. */
export async function readStateBytes(db: Kysely<StateSchema>, workspaceId: string): Promise<number> {
  const here = sql`select id from deployments where workspace_id = ${workspaceId}`;
  const sums = [
    ...Object.entries(THREAD_COLUMNS).map(
      ([table, columns]) =>
        sql<{
          bytes: number | string | null;
        }>`select sum(${lengthsOf(columns)}) as bytes from ${sql.table(table)}
          where thread_id in (select thread_id from threads where deployment_id in (${here}))`,
    ),
    ...Object.entries(DEPLOYMENT_COLUMNS).map(
      ([table, columns]) =>
        sql<{
          bytes: number | string | null;
        }>`select sum(${lengthsOf(columns)}) as bytes from ${sql.table(table)}
          where deployment_id in (${here})`,
    ),
  ];
  let all = 0;
  // The sums are read one after the other, so that a measurement leaves connections for requests.
  for (const sum of sums) all += Number((await sum.execute(db)).rows[0]?.bytes ?? 0);
  return all;
}

/** The total bytes of columns. Neither database reads the values for this. */
function lengthsOf(columns: readonly string[]) {
  return sql.join(
    columns.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`),
    sql` + `,
  );
}
