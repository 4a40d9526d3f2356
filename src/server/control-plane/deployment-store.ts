import { type Selectable, sql } from 'kysely';
import type { Deployment } from '../../contract/control-plane.ts';
import type { JsonObject } from '../../contract/fields.ts';
import type { StateDatabase } from '../storage/state-database.ts';
import type { DeploymentTable } from '../storage/state-schema.ts';

export type DeploymentRow = Selectable<DeploymentTable>;

export interface DeploymentFilter {
  readonly limit: number;
  readonly offset: number;
  readonly name_contains?: string | undefined;
  readonly status?: string | undefined;
  readonly deployment_type?: string | undefined;
  readonly deployment_ids?: readonly string[] | undefined;
}

/** Rows of deployments, live ones and those of the control plane. */
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

  /** Newest first. */
  list(workspaceId: string, filter: DeploymentFilter): Promise<DeploymentRow[]> {
    let query = this.#db.selectFrom('deployments').selectAll().where('workspace_id', '=', workspaceId);
    if (filter.name_contains !== undefined) {
      query = query.where(sql<boolean>`instr(lower(name), ${filter.name_contains.toLowerCase()}) > 0`);
    }
    if (filter.status !== undefined) query = query.where('status', '=', filter.status);
    if (filter.deployment_type !== undefined) {
      query = query.where(
        sql<boolean>`json_extract(source_config, '$.deployment_type') = ${filter.deployment_type}`,
      );
    }
    if (filter.deployment_ids !== undefined) query = query.where('id', 'in', [...filter.deployment_ids, '']);
    return query
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(filter.limit)
      .offset(filter.offset)
      .execute();
  }
}

/** A deployment as it goes over the wire. @param url where it is served now. */
export function toDeployment(row: DeploymentRow, url: string | undefined): Deployment {
  return {
    id: row.id,
    name: row.name,
    tenant_id: row.workspace_id,
    source: row.source,
    source_config: { ...(JSON.parse(row.source_config) as JsonObject), custom_url: url ?? null },
    source_revision_config: JSON.parse(row.source_revision_config) as JsonObject,
    secrets: [],
    status: row.status,
    latest_revision_id: row.latest_revision_id,
    active_revision_id: row.active_revision_id,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
