import type { Caller } from '../http/caller.ts';
import type { StateDatabase } from '../storage/state-database.ts';

interface Held {
  readonly keyId: string;
  readonly workspaceId: string;
  readonly end: () => void;
}

/** Long-lived connections of a key, such as open streams, which end when it is revoked. */
export class HeldOpen {
  readonly #db: StateDatabase;
  readonly #held = new Set<Held>();

  constructor(db: StateDatabase) {
    this.#db = db;
  }

  /** @returns lets go of it, when it has come to its own end. */
  hold(caller: Caller, end: () => void): () => void {
    const { by, workspaceId } = caller;
    if (by.kind !== 'api-key' && by.kind !== 'bearer') return () => {};
    const held = { keyId: by.keyId, workspaceId, end };
    this.#held.add(held);
    return () => this.#held.delete(held);
  }

  /** Closes connections of revoked keys and keys that lost access to the workspace. */
  async check(): Promise<void> {
    if (this.#held.size === 0) return;
    const rows = await this.#db
      .selectFrom('api_keys')
      .innerJoin('api_key_workspaces', 'api_key_workspaces.api_key_id', 'api_keys.id')
      .select(['api_keys.id', 'api_key_workspaces.workspace_id'])
      .where('api_keys.revoked_at', 'is', null)
      .execute();
    const open = new Set(rows.flatMap((row) => [`${row.id} ${row.workspace_id}`, `${row.id} `]));
    for (const held of [...this.#held]) {
      if (open.has(`${held.keyId} ${held.workspaceId}`)) continue;
      this.#held.delete(held);
      held.end();
    }
  }
}
