import type { Caller } from '../http/caller.ts';
import type { StateDatabase } from '../storage/state-database.ts';

interface Held {
  readonly keyId: string;
  readonly workspaceId: string;
  readonly end: () => void;
}

/** What goes on under a key after it was checked, such as open streams: it ends when the key does. */
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

  /** Ends what is held under keys that were revoked, or opened a workspace that they open no more. */
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
