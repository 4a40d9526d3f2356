import type { WorkspaceSecret } from '../../../contract/control-plane/workspace-secrets.ts';
import { notFound } from '../../http/errors.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import { associatedData } from './associated-data.ts';
import type { SecretBox } from './secret-box.ts';

interface Change {
  readonly key: string;
  /** Null deletes the secret. */
  readonly value: string | null;
}

/** Stores the secrets of workspaces, encrypted. */
export class WorkspaceSecrets {
  readonly #db: StateDatabase;
  readonly #box: SecretBox;

  constructor(db: StateDatabase, box: SecretBox) {
    this.#db = db;
    this.#box = box;
  }

  /** The names of a workspace's secrets, in alphabetical order. */
  async list(workspaceId: string): Promise<WorkspaceSecret[]> {
    const rows = await this.#db
      .selectFrom('workspace_secrets')
      .select('key')
      .where('workspace_id', '=', workspaceId)
      .orderBy('key')
      .execute();
    return rows.map(({ key }) => ({ key }));
  }

  /** Sets or deletes secrets, all or none. */
  async set(workspaceId: string, changes: readonly Change[]): Promise<void> {
    const updated_at = new Date().toISOString();
    await this.#db.transaction().execute(async (transaction) => {
      for (const { key, value } of changes) {
        if (value === null) {
          await transaction
            .deleteFrom('workspace_secrets')
            .where('workspace_id', '=', workspaceId)
            .where('key', '=', key)
            .execute();
          continue;
        }
        const sealed = this.#box.seal(value, associatedData.workspaceSecret(workspaceId, key));
        await transaction
          .insertInto('workspace_secrets')
          .values({ workspace_id: workspaceId, key, sealed, updated_at })
          .onConflict((conflict) =>
            conflict.columns(['workspace_id', 'key']).doUpdateSet({ sealed, updated_at }),
          )
          .execute();
      }
    });
  }

  /** The name of a secret, if it is set. @throws HttpError 404 */
  async get(workspaceId: string, key: string): Promise<WorkspaceSecret> {
    const found = (await this.list(workspaceId)).find((secret) => secret.key === key);
    if (found === undefined) throw notFound('Secret', key);
    return found;
  }
}
