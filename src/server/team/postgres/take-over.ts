import type { Client } from 'pg';
import { rollBack } from './roll-back.ts';
import { SERVING_LOCK } from './served-deployments.ts';

/** The class of the locks that nodes hold while their processes are alive, each with the node's number: `AH_N` in ASCII. */
export const NODE_LOCKS = 0x41_48_5f_4e;

/** The name of a node's connections. */
export function connectionName(node: number): string {
  return `agent-harbor ${node}`;
}

/** The silence after which other nodes continue a node's work. */
export const SILENCE_MS = 7_000;
/**
 * The shorter silence that is enough if the node's connection with the lock has ended: a living node would have
 * reconnected by then.
 */
const SHORT_SILENCE_MS = 2_500;

/**
 * Whether a node's process has ended, or the node has been silent for too long. The time while PostgreSQL was down does
 * not count, because no node could be heard. `expires_at` is `SILENCE_MS` after the last heartbeat, or `-infinity` after
 * a leave; `objsubid` 2 marks locks with two keys.
 */
const IS_GONE = `(expires_at = '-infinity' or (
  pg_postmaster_start_time() < clock_timestamp() - interval '${SILENCE_MS} milliseconds'
  and expires_at < clock_timestamp() + case when exists (
    select from pg_locks where locktype = 'advisory' and granted and objsubid = 2
      and classid::bigint = ${NODE_LOCKS} and objid::bigint = nodes.number
      and database = (select oid from pg_database where datname = current_database())
  ) then interval '0' else interval '${SILENCE_MS - SHORT_SILENCE_MS} milliseconds' end
))`;

/**
 * Assigns the unfinished runs of a node to nodes that serve their deployments, preferably to the one that
 * takes over. If no node serves a deployment, the one that takes over keeps its runs until another node
 * starts serving it.
 */
const GIVE = `update runs set lease_owner = coalesce(
    (
      select number::text from nodes
      where runs.deployment_id = any(deployments)
        and (number = $1 or (not is_draining and expires_at > clock_timestamp()))
      order by number <> $1, number limit 1
    ),
    $1::text
  )
  where lease_owner = $2 and status in ('pending', 'running') returning lease_owner`;

/** The nodes that have received the runs of a node that has ended. */
type Heirs = ReadonlySet<string>;

/**
 * Takes over the work of nodes that have ended. Ends their connections, and waits up to 2 s for their pending writes;
 * later writes are refused.
 * @param alsoSilent whether silence counts, or only an explicit leave.
 * @param onTaken called for each node that was taken over, with the nodes that now have its runs.
 * @throws DatabaseError, for example when a lock was not free in time; earlier takeovers stay.
 */
export async function takeOver(
  client: Client,
  node: number,
  { alsoSilent, onTaken }: { alsoSilent: boolean; onTaken(heirs: Heirs): void },
): Promise<void> {
  // In random order: a node with a pending unit ends this loop with a lock timeout, and must not keep the others waiting
  // each time.
  const gone = await client.query<{ number: string }>(
    `select number from nodes where number <> $1 and (expires_at = '-infinity' or $2) and ${IS_GONE} order by random()`,
    [node, alsoSilent],
  );
  for (const { number } of gone.rows) {
    const heirs = await takeOverFrom(client, Number(number), node);
    if (heirs !== undefined) onTaken(heirs);
  }
}

/**
 * Takes over from a node that is gone.
 * @returns the nodes that now have its runs; undefined when that node has not ended after all, another node
 * was faster, or others have taken over from this one.
 */
async function takeOverFrom(client: Client, gone: number, node: number): Promise<Heirs | undefined> {
  // The node's connections are ended first, because its transactions could stay open for as long as its
  // process is suspended.
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and datname = current_database() and usename = current_user',
    [connectionName(gone)],
  );
  await client.query('begin');
  try {
    // This node must not wait too long, because it has to send its own heartbeat in time.
    await client.query("set local lock_timeout = '2s'");
    await client.query('select pg_advisory_xact_lock($1, 0)', [SERVING_LOCK]);
    const own = await client.query('select from nodes where number = $1 for share', [node]);
    const deleted = await client.query(`delete from nodes where number = $1 and ${IS_GONE}`, [gone]);
    if (own.rowCount !== 1 || deleted.rowCount !== 1) {
      await client.query('rollback');
      return undefined;
    }
    const given = await client.query<{ lease_owner: string }>(GIVE, [node, String(gone)]);
    await client.query('commit');
    return new Set([String(node), ...given.rows.map(({ lease_owner }) => lease_owner)]);
  } catch (error) {
    await rollBack(client);
    throw error;
  }
}
