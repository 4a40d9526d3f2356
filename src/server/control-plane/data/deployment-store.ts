import type { Insertable, Kysely, Selectable, Updateable } from 'kysely';
import type { DeploymentFilter } from '../../../contract/control-plane/deployments.ts';
import { containsText } from '../../storage/contains-text.ts';
import { asMember, memberOf } from '../../storage/dialect-expressions.ts';
import { isAmong } from '../../storage/is-among.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { DeploymentTable, StateSchema } from '../../storage/state-schema.ts';

export type DeploymentRow = Selectable<DeploymentTable>;

/** The columns that are set for a new deployment. `paused_at` stays empty, because it is not paused. */
const COLUMNS = [
  'id',
  'workspace_id',
  'name',
  'source',
  'source_config',
  'source_revision_config',
  'status',
  'latest_revision_id',
  'active_revision_id',
  'port',
  'config_path',
  'secret_set_id',
  'secret_references',
  'sealed_key',
  'sealed_webhook_secret',
  'created_at',
  'updated_at',
] as const satisfies (keyof DeploymentTable)[];

/** Rows of deployments. Deployments of open folders have a `config_path`; those that are built have none. */
export class DeploymentStore {
  readonly #db: StateDatabase;
  constructor(db: StateDatabase) {
    this.#db = db;
  }

  find(workspaceId: string, id: string): Promise<DeploymentRow | undefined> {
    return this.#db
      .selectFrom('deployments')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .executeTakeFirst();
  }

  /** The deployment in any workspace, for the server's own use. */
  get(id: string): Promise<DeploymentRow | undefined> {
    return this.#db.selectFrom('deployments').selectAll().where('id', '=', id).executeTakeFirst();
  }

  /** Reads the current row, and locks it until the end of the transaction by updating it. */
  hold(id: string, transaction: Kysely<StateSchema>): Promise<DeploymentRow | undefined> {
    return transaction
      .updateTable('deployments')
      .set({ updated_at: new Date().toISOString() })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst();
  }

  /** All built deployments, oldest first. */
  listBuilt(): Promise<DeploymentRow[]> {
    return this.#db
      .selectFrom('deployments')
      .selectAll()
      .where('config_path', 'is', null)
      .orderBy('created_at')
      .execute();
  }

  /** Adds a built deployment. @returns false when the workspace already has one of this name. */
  async insertBuilt(db: Kysely<StateSchema>, row: Insertable<DeploymentTable>): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('deployments')
      .columns([...COLUMNS])
      .expression(
        db
          .selectNoFrom((eb) => COLUMNS.map((column) => eb.val(row[column]).as(column)))
          .where(({ exists, not }) => not(exists(this.#built(db, row.workspace_id, row.name).select('id')))),
      )
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows === 1n;
  }

  /** The built deployment of this name. */
  findBuilt(db: Kysely<StateSchema>, workspaceId: string, name: string): Promise<DeploymentRow | undefined> {
    return this.#built(db, workspaceId, name).selectAll().executeTakeFirst();
  }

  #built(db: Kysely<StateSchema>, workspaceId: string, name: string) {
    return db
      .selectFrom('deployments')
      .where('workspace_id', '=', workspaceId)
      .where('name', '=', name)
      .where('config_path', 'is', null);
  }

  /** Lists deployments, newest first. */
  list(workspaceId: string, filter: DeploymentFilter): Promise<DeploymentRow[]> {
    // Tags, agents and image versions exist only in the cloud, so nothing matches.
    if (filter.tag_value_ids ?? filter.image_version ?? filter.agent_id ?? filter.agent_environment) {
      return Promise.resolve([]);
    }
    let query = this.#db.selectFrom('deployments').selectAll().where('workspace_id', '=', workspaceId);
    if (filter.name !== undefined) query = query.where('name', '=', filter.name);
    if (filter.name_contains) query = query.where(containsText('name', filter.name_contains));
    if (filter.status !== undefined) query = query.where(isAmong('status', filter.status));
    if (filter.deployment_type !== undefined) {
      query = query.where(
        memberOf('source_config', 'deployment_type'),
        '=',
        asMember(filter.deployment_type),
      );
    }
    if (filter.remote_reconciled !== undefined) {
      const listener = memberOf('source_config', 'listener_id');
      query = query.where(listener, filter.remote_reconciled ? 'is not' : 'is', null);
    }
    if (filter.deployment_ids !== undefined) {
      const ids = filter.deployment_ids.map((id) => id.toLowerCase());
      query = query.where(isAmong('id', ids));
    }
    return query
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(filter.limit)
      .offset(filter.offset)
      .execute();
  }

  async update(
    id: string,
    changes: Updateable<DeploymentTable>,
    db: Kysely<StateSchema> = this.#db,
  ): Promise<void> {
    await db
      .updateTable('deployments')
      .set({ ...changes, updated_at: new Date().toISOString() })
      .where('id', '=', id)
      .execute();
  }

  /** Gives a deployment a secret for webhooks, unless it has one. */
  async initWebhookSecret(id: string, sealed: Uint8Array): Promise<void> {
    await this.#db
      .updateTable('deployments')
      .set({ sealed_webhook_secret: sealed })
      .where('id', '=', id)
      .where('sealed_webhook_secret', 'is', null)
      .execute();
  }

  async delete(id: string): Promise<void> {
    await this.#db.deleteFrom('deployments').where('id', '=', id).execute();
  }
}
