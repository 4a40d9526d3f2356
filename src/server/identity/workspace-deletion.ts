import { z } from 'zod';
import { type Caller, requester } from '../http/caller.ts';
import { conflict, notFound } from '../http/errors.ts';
import type { Logger } from '../logger.ts';
import type { StateDatabase } from '../storage/state-database.ts';
import type { Identity } from './identity.ts';
import { isActive } from './key-expiry.ts';

/**
 * Queues the purge of a workspace's traces, and returns the ID of the job. Idempotent per workspace.
 * `recordIn` is the workspace that can follow the job, and `by` names the key that requested it.
 */
export type PurgeWorkspace = (request: {
  workspaceId: string;
  recordIn: string;
  by: string | null;
}) => Promise<string>;

/** The beginning of the names of settings that record purges to start; the workspace's ID follows. */
const PENDING = 'workspace-purge:';
const Pending = z.object({ recordIn: z.string(), by: z.string().nullable() });

/** The tables whose rows are deleted with their workspace. */
const TABLES_OF_WORKSPACE = [
  'bearer_tokens',
  'oauth_flows',
  'oauth_tokens',
  'agent_connections',
  'listeners',
  'github_integrations',
  'workspace_secrets',
  'api_key_workspaces',
] as const;

/**
 * Deletes workspaces, in two steps, because there are two databases. The first closes the workspace and
 * records that its traces must be purged, in one transaction. The second starts the purge. If the server dies
 * in between, its next start does this.
 */
export class WorkspaceDeletion {
  readonly #db: StateDatabase;
  readonly #identity: Identity;
  readonly #purge: PurgeWorkspace;

  constructor(db: StateDatabase, identity: Identity, purge: PurgeWorkspace) {
    this.#db = db;
    this.#identity = identity;
    this.#purge = purge;
  }

  /**
   * Closes a workspace immediately; keys without access to any other workspace are revoked.
   * @throws HttpError 404, 409 for the caller's own, the machine's own, and one with deployments.
   */
  async delete(caller: Caller, id: string): Promise<{ jobId: string }> {
    if (!(await this.#identity.findReachable(caller)).has(id)) throw notFound('Workspace', id);
    if (id === caller.workspaceId) {
      throw conflict(
        'A workspace cannot delete itself. Send another workspace ID in the x-tenant-id header.',
      );
    }
    const { workspaceId: own } = await this.#identity.findDefaultWorkspace();
    if (id === own) throw conflict('The default workspace of this machine cannot be deleted.');
    const deployment = await this.#db
      .selectFrom('deployments')
      .select('name')
      .where('workspace_id', '=', id)
      .executeTakeFirst();
    if (deployment !== undefined) {
      throw conflict(`Delete the deployments of the workspace first, for example '${deployment.name}'.`);
    }
    const purge = { recordIn: caller.workspaceId, by: requester(caller) };
    await this.#close(id, purge);
    await this.#identity.applyKeyChanges();
    return { jobId: await this.#startPurge(id, purge) };
  }

  /**
   * Starts the purges that a crash prevented. Those that fail are logged, and tried again at the next
   * start.
   */
  async resume(logger: Logger): Promise<void> {
    const rows = await this.#db
      .selectFrom('settings')
      .selectAll()
      .where('name', 'like', `${PENDING}%`)
      .execute();
    for (const { name, value } of rows) {
      try {
        await this.#startPurge(name.slice(PENDING.length), Pending.parse(JSON.parse(value)));
      } catch (err) {
        logger.error({ err, name }, 'could not purge the traces of a deleted workspace');
      }
    }
  }

  async #close(id: string, pending: z.output<typeof Pending>): Promise<void> {
    await this.#db.transaction().execute(async (transaction) => {
      await transaction
        .insertInto('settings')
        .values({ name: `${PENDING}${id}`, value: JSON.stringify(pending) })
        .execute();
      for (const table of TABLES_OF_WORKSPACE)
        await transaction.deleteFrom(table).where('workspace_id', '=', id).execute();
      await transaction
        .updateTable('api_keys')
        .set({ revoked_at: new Date().toISOString() })
        .where(isActive)
        .where('id', 'not in', (query) => query.selectFrom('api_key_workspaces').select('api_key_id'))
        .execute();
      await transaction.deleteFrom('workspaces').where('id', '=', id).execute();
    });
  }

  /** Queues the recorded purge of a workspace, and then removes the record. */
  async #startPurge(id: string, pending: z.output<typeof Pending>): Promise<string> {
    const jobId = await this.#purge({ workspaceId: id, ...pending });
    await this.#db.deleteFrom('settings').where('name', '=', `${PENDING}${id}`).execute();
    return jobId;
  }
}
