import type { Caller } from '../http/caller.ts';
import { type Grant, grantColumns, readGrant } from '../http/grant.ts';
import type { StateDatabase } from '../storage/state-database.ts';
import { isActive } from './key-expiry.ts';

interface OpenConnection {
  readonly keyId: string;
  readonly workspaceId: string;
  /** The key's grant when the connection was opened. */
  readonly grant: string;
  /** Whether the key is the owner's, which has access to workspaces without being linked to them. */
  readonly isOwner: boolean;
  readonly end: () => void;
}

function textOf(grant: Grant): string {
  return JSON.stringify(grantColumns(grant));
}

/**
 * The long-lived connections of keys, such as open streams, which are closed when their key is revoked or
 * narrowed.
 */
export class OpenConnections {
  readonly #db: StateDatabase;
  readonly #held = new Set<OpenConnection>();

  constructor(db: StateDatabase) {
    this.#db = db;
  }

  /** Adds a connection. @returns a function that removes it, to be called when it has ended by itself. */
  add(caller: Caller, end: () => void): () => void {
    const { by, workspaceId, grant } = caller;
    if (by.kind !== 'api-key' && by.kind !== 'bearer') return () => {};
    const held = {
      keyId: by.keyId,
      workspaceId,
      grant: textOf(grant ?? { rights: [] }),
      isOwner: caller.isOwner === true,
      end,
    };
    this.#held.add(held);
    return () => this.#held.delete(held);
  }

  /** Closes connections of revoked and narrowed keys, and of keys that lost access to the workspace. */
  async check(): Promise<void> {
    if (this.#held.size === 0) return;
    const rows = await this.#db
      .selectFrom('api_keys')
      .innerJoin('api_key_workspaces', 'api_key_workspaces.api_key_id', 'api_keys.id')
      .select([
        'api_keys.id',
        'api_keys.rights',
        'api_keys.projects',
        'api_keys.deployment_id',
        'api_key_workspaces.workspace_id',
      ])
      .where(isActive)
      .execute();
    const grants = new Map(rows.map((row) => [row.id, textOf(readGrant(row))]));
    const reached = new Set(rows.map((row) => `${row.id} ${row.workspace_id}`));
    for (const held of [...this.#held]) {
      const isReached =
        held.workspaceId === '' || held.isOwner || reached.has(`${held.keyId} ${held.workspaceId}`);
      if (isReached && grants.get(held.keyId) === held.grant) continue;
      this.#held.delete(held);
      held.end();
    }
  }
}
