import type { Selectable } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { Listener, ListenerCreate, ListenerPatch } from '../../../contract/control-plane/listeners.ts';
import { conflict, HttpError } from '../../http/errors.ts';
import type { ListenerTable } from '../../storage/control-plane-schema.ts';
import type { StateDatabase } from '../../storage/state-database.ts';

/**
 * Stores listeners, which have no effect on this server. Errors have the public control plane's messages
 * (docs/interface/control-plane.md#listeners).
 */
export class ListenerStore {
  readonly #db: StateDatabase;
  constructor(db: StateDatabase) {
    this.#db = db;
  }

  async list(workspaceId: string, paging: { limit: number; offset: number }): Promise<Listener[]> {
    const rows = await this.#db
      .selectFrom('listeners')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(paging.limit)
      .offset(paging.offset)
      .execute();
    return rows.map(toListener);
  }

  /** @throws HttpError 409 for a second listener of one cluster. */
  async create(workspaceId: string, listener: ListenerCreate): Promise<Listener> {
    const now = new Date().toISOString();
    const row = {
      id: uuidv7(),
      workspace_id: workspaceId,
      version: listener.version ?? null,
      compute_type: listener.compute_type,
      compute_id: listener.compute_id,
      compute_config: JSON.stringify(listener.compute_config),
      created_at: now,
      updated_at: now,
    };
    const { numInsertedOrUpdatedRows } = await this.#db
      .insertInto('listeners')
      .values(row)
      .onConflict((on) => on.columns(['workspace_id', 'compute_id']).doNothing())
      .executeTakeFirst();
    if (numInsertedOrUpdatedRows === 0n) {
      throw conflict(
        `Listener for LangSmith workspace ID '${workspaceId}' and compute ID '${listener.compute_id}' already exists.`,
      );
    }
    return toListener(row);
  }

  /** @throws HttpError 404 */
  async get(workspaceId: string, id: string): Promise<Listener> {
    return toListener(await this.#require(workspaceId, id));
  }

  /** @throws HttpError 404 */
  async update(workspaceId: string, id: string, patch: ListenerPatch): Promise<Listener> {
    await this.#require(workspaceId, id);
    await this.#db
      .updateTable('listeners')
      // Only the given fields, so that a concurrent change of others is not overwritten.
      .set({
        version: patch.version ?? undefined,
        compute_config: patch.compute_config == null ? undefined : JSON.stringify(patch.compute_config),
        updated_at: new Date().toISOString(),
      })
      .where('id', '=', id)
      .execute();
    return this.get(workspaceId, id);
  }

  /** @throws HttpError 404 */
  async delete(workspaceId: string, id: string): Promise<void> {
    await this.#require(workspaceId, id);
    await this.#db.deleteFrom('listeners').where('id', '=', id).execute();
  }

  async #require(workspaceId: string, id: string): Promise<Selectable<ListenerTable>> {
    const row = await this.#db
      .selectFrom('listeners')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) throw new HttpError(404, `Listener ID ${id} not found.`);
    return row;
  }
}

function toListener({ workspace_id: _, ...row }: Selectable<ListenerTable>): Listener {
  return { ...row, compute_config: JSON.parse(row.compute_config) };
}
