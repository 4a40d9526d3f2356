import { type Kysely, sql } from 'kysely';
import type { StateSchema } from '../../storage/state-schema.ts';

/**
 * The lock for assigning runs to the servers that serve their deployments, and for starting to serve a
 * deployment.
 */
export const SERVING_LOCK = 0x41_48_5f_44;

/**
 * Stores that a server serves a deployment, and assigns to that server those unfinished runs of the deployment that
 * belong to no server serving it.
 */
export async function beginServing(
  db: Kysely<StateSchema>,
  node: string,
  deploymentId: string,
): Promise<void> {
  const [number, deployment] = [sql.lit(Number(node)), sql.lit(deploymentId)];
  // Without parameters, all of this is sent at once as one transaction, so that others never wait for this server
  // between two statements.
  await sql`
    select pg_advisory_xact_lock(${sql.lit(SERVING_LOCK)}, 0);
    update nodes set deployments = array_append(array_remove(deployments, ${deployment}), ${deployment})
      where number = ${number};
    update runs set lease_owner = ${sql.lit(node)}
      where deployment_id = ${deployment} and status in ('pending', 'running') and lease_owner is not null
        and not exists (
          select from nodes
          where number::text = runs.lease_owner and (deployments is null or ${deployment} = any(deployments))
        )`.execute(db);
}

/**
 * Stores that a server no longer serves a deployment, and assigns the server's remaining runs of the
 * deployment to one that still does.
 * @returns that server; undefined when there is none, and the runs are left to the next server that starts
 * serving the deployment.
 */
export async function endServing(
  db: Kysely<StateSchema>,
  node: string,
  deploymentId: string,
): Promise<string | undefined> {
  const heir = await findHeir(db, node, deploymentId);
  const [number, deployment] = [sql.lit(Number(node)), sql.lit(deploymentId)];
  const give =
    heir === undefined
      ? sql``
      : sql`
    update runs set lease_owner = ${sql.lit(heir)}
      where deployment_id = ${deployment} and status in ('pending', 'running') and lease_owner = ${sql.lit(node)}
        and exists (
          select from nodes
          where number = ${sql.lit(Number(heir))} and (deployments is null or ${deployment} = any(deployments))
        )`;
  // `for update` waits for any server that is handing a run over to this server (`for key share` in run-holders.ts).
  await sql`
    select pg_advisory_xact_lock(${sql.lit(SERVING_LOCK)}, 0);
    select from nodes where number = ${number} for update;
    update nodes set deployments = array_remove(deployments, ${deployment}) where number = ${number};
    ${give}`.execute(db);
  return heir;
}

/** Finds another server that serves a deployment and is not about to stop; undefined when there is none. */
export async function findHeir(
  db: Kysely<StateSchema>,
  node: string,
  deploymentId: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ number: number }>`
    select number from nodes
    where number <> ${Number(node)} and not is_draining and expires_at > clock_timestamp()
      and (deployments is null or ${deploymentId} = any(deployments))
    order by random() limit 1`.execute(db);
  return rows[0] && String(rows[0].number);
}
