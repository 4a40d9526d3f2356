import path from 'node:path';
import type { Selectable } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { conflict } from '../http/errors.ts';
import type { StateDatabase } from '../storage/state-database.ts';
import type { DeploymentTable } from '../storage/state-schema.ts';

export type FolderRow = Selectable<DeploymentTable>;

/** Stores the deployments of folders, each with the path of its langgraph.json. */
export class FolderStore {
  readonly #db: StateDatabase;
  constructor(db: StateDatabase) {
    this.#db = db;
  }

  /**
   * The deployment of a langgraph.json, created when it is first opened.
   * @throws HttpError 409 if it belongs to another workspace.
   */
  async findOrInsert(workspaceId: string, configPath: string): Promise<FolderRow> {
    const existing = await this.#db
      .selectFrom('deployments')
      .selectAll()
      .where('config_path', '=', configPath)
      .executeTakeFirst();
    if (existing !== undefined && existing.workspace_id !== workspaceId)
      throw conflict(
        `${configPath} belongs to another workspace, whose ID is ${existing.workspace_id}. Open it there.`,
      );
    return existing ?? this.#insert(workspaceId, configPath, path.basename(path.dirname(configPath)));
  }

  /**
   * The deployment of an agent that several machines serve, each from its own path. It is identified by a name, which is
   * stored in place of the path.
   * @param configPath the path by which the deployment was identified before agents had names.
   */
  async findOrInsertNamed(workspaceId: string, name: string, configPath: string): Promise<FolderRow> {
    const known = await this.#db
      .selectFrom('deployments')
      .selectAll()
      .where('config_path', 'in', [name, configPath])
      .where('workspace_id', '=', workspaceId)
      .execute();
    const named = known.find(({ config_path }) => config_path === name);
    const [atPath] = known;
    if (named !== undefined) return named;
    if (atPath === undefined) return this.#insert(workspaceId, name, name);
    const changes = { name, config_path: name };
    await this.#db.updateTable('deployments').set(changes).where('id', '=', atPath.id).execute();
    return { ...atPath, ...changes };
  }

  async #insert(workspaceId: string, configPath: string, name: string): Promise<FolderRow> {
    const now = new Date().toISOString();
    const row: FolderRow = {
      id: uuidv7(),
      workspace_id: workspaceId,
      name,
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
      paused_at: null,
      created_at: now,
      updated_at: now,
    };
    await this.#db.insertInto('deployments').values(row).execute();
    return row;
  }

  /** Stores that a folder's agent is served, and at which port. */
  async setReady(id: string, port: number | null): Promise<void> {
    await this.#db
      .updateTable('deployments')
      .set({ port, status: 'READY', updated_at: new Date().toISOString() })
      .where('id', '=', id)
      .execute();
  }
}
