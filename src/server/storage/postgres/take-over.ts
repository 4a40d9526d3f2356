import type { Client } from 'pg';

/** The locks that nodes hold while their processes live, by number. */
export const NODE_LOCKS = 0x41_48_5f_4e;

/** The name of a node's connections. */
export function connectionName(node: number): string {
  return `agent-harbor ${node}`;
}

/** After how long a silence others go on with the work of a node. */
export const SILENCE_MS = 8_000;
/** The same when the connection with its lock has ended: a node that has only lost the connection makes another one. */
const SHORT_SILENCE_MS = 2_500;

/** Whether a node's process has ended, or it has been silent for too long. No node was heard while PostgreSQL was down. */
const IS_GONE = `(expires_at = '-infinity' or (
  pg_postmaster_start_time() < clock_timestamp() - interval '${SILENCE_MS} milliseconds'
  and expires_at < clock_timestamp() + case when exists (
    select from pg_locks where locktype = 'advisory' and granted and objsubid = 2
      and classid::bigint = ${NODE_LOCKS} and objid::bigint = nodes.number
      and database = (select oid from pg_database where datname = current_database())
  ) then interval '0' else interval '${SILENCE_MS - SHORT_SILENCE_MS} milliseconds' end
))`;

/**
 * Takes over what is left by nodes that are gone. What such a node has sent and is being stored is waited for; what it
 * sends later is refused.
 * @param alsoSilent whether silence counts, or only what a node has said itself.
 * @returns of how many nodes.
 */
export async function takeOver(
  client: Client,
  node: number,
  { alsoSilent }: { alsoSilent: boolean },
): Promise<number> {
  const gone = await client.query<{ number: string }>(
    `select number from nodes where number <> $1 and (expires_at = '-infinity' or $2) and ${IS_GONE} order by number`,
    [node, alsoSilent],
  );
  let taken = 0;
  for (const { number } of gone.rows) if (await takeOverFrom(client, Number(number), node)) taken++;
  return taken;
}

async function takeOverFrom(client: Client, gone: number, node: number): Promise<boolean> {
  // A transaction that its process has begun may otherwise stay open as long as the process sleeps.
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and datname = current_database() and usename = current_user',
    [connectionName(gone)],
  );
  await client.query('begin');
  try {
    // This node must say in time that it is there.
    await client.query("set local lock_timeout = '2s'");
    const { rowCount: isOneOfThem } = await client.query('select from nodes where number = $1 for share', [
      node,
    ]);
    const { rowCount: deleted } = await client.query(`delete from nodes where number = $1 and ${IS_GONE}`, [
      gone,
    ]);
    const isTaken = isOneOfThem === 1 && deleted === 1;
    if (isTaken) {
      await client.query(
        `update runs set lease_owner = $1 where lease_owner = $2 and status in ('pending', 'running')`,
        [String(node), String(gone)],
      );
    }
    await client.query(isTaken ? 'commit' : 'rollback');
    return isTaken;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}
