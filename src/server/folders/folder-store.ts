import path from 'node:path';
import type { Selectable } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { StateDatabase } from '../storage/state-database.ts';
import type { DeploymentTable } from '../storage/state-schema.ts';

export type FolderRow = Selectable<DeploymentTable>;

/** The deployments of folders, which have the path of their langgraph.json. */
export class FolderStore {
  readonly #db: StateDatabase;
  constructor(db: StateDatabase) {
    this.#db = db;
  }

  /** The deployment of a langgraph.json, which is made when it is opened first. */
  async findOrInsert(workspaceId: string, configPath: string): Promise<FolderRow> {
    const existing = await this.#db
      .selectFrom('deployments')
      .selectAll()
      .where('config_path', '=', configPath)
      .where('workspace_id', '=', workspaceId)
      .executeTakeFirst();
    if (existing !== undefined) return existing;
    const now = new Date().toISOString();
    const row: FolderRow = {
      id: uuidv7(),
      workspace_id: workspaceId,
      name: path.basename(path.dirname(configPath)),
      source: 'workspace',
      source_config: JSON.stringify({}),
      source_revision_config: JSON.stringify({ platform_config_path: configPath }),
      status: 'READY',
      latest_revision_id: null,
      active_revision_id: null,
      port: null,
      config_path: configPath,
      secret_set_id: null,
      secret_references: null,
      sealed_key: null,
      sealed_webhook_secret: null,
      created_at: now,
      updated_at: now,
    };
    await this.#db.insertInto('deployments').values(row).execute();
    return row;
  }

  /** It is served there. */
  async setReady(id: string, port: number | null): Promise<void> {
    await this.#db
      .updateTable('deployments')
      .set({ port, status: 'READY', updated_at: new Date().toISOString() })
      .where('id', '=', id)
      .execute();
  }
}
