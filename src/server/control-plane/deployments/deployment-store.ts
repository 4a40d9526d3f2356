import { type Kysely, type Selectable, sql, type Updateable } from 'kysely';
import type { DeploymentFilter } from '../../../contract/control-plane/deployments.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { DeploymentTable, StateSchema } from '../../storage/state-schema.ts';

export type DeploymentRow = Selectable<DeploymentTable>;

/** Rows of deployments: of open folders, which have a `config_path`, and of built ones. */
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

  /** For the server itself, whatever workspace it belongs to. */
  get(id: string): Promise<DeploymentRow | undefined> {
    return this.#db.selectFrom('deployments').selectAll().where('id', '=', id).executeTakeFirst();
  }

  /** Every deployment that is built, oldest first. */
  allBuilt(): Promise<DeploymentRow[]> {
    return this.#db
      .selectFrom('deployments')
      .selectAll()
      .where('config_path', 'is', null)
      .orderBy('created_at')
      .execute();
  }

  /** A deployment of this name that is built. */
  findBuilt(db: Kysely<StateSchema>, workspaceId: string, name: string): Promise<DeploymentRow | undefined> {
    return db
      .selectFrom('deployments')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .where('name', '=', name)
      .where('config_path', 'is', null)
      .executeTakeFirst();
  }

  /** Newest first. */
  list(workspaceId: string, filter: DeploymentFilter): Promise<DeploymentRow[]> {
    // Tags, agents and image versions only exist in the cloud.
    if (filter.tag_value_ids ?? filter.image_version ?? filter.agent_id ?? filter.agent_environment) {
      return Promise.resolve([]);
    }
    let query = this.#db.selectFrom('deployments').selectAll().where('workspace_id', '=', workspaceId);
    if (filter.name !== undefined) query = query.where('name', '=', filter.name);
    if (filter.name_contains) {
      query = query.where(sql<boolean>`instr(lower(name), ${filter.name_contains.toLowerCase()}) > 0`);
    }
    if (filter.status !== undefined) query = query.where('status', 'in', [...filter.status, '']);
    if (filter.deployment_type !== undefined) {
      query = query.where(
        sql<boolean>`json_extract(source_config, '$.deployment_type') = ${filter.deployment_type}`,
      );
    }
    if (filter.remote_reconciled !== undefined) {
      const listener = sql`json_extract(source_config, '$.listener_id')`;
      query = query.where(
        filter.remote_reconciled ? sql<boolean>`${listener} is not null` : sql<boolean>`${listener} is null`,
      );
    }
    if (filter.deployment_ids !== undefined) {
      const ids = filter.deployment_ids.map((id) => id.toLowerCase());
      query = query.where('id', 'in', [...ids, '']);
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

  async delete(id: string): Promise<void> {
    await this.#db.deleteFrom('deployments').where('id', '=', id).execute();
  }
}
