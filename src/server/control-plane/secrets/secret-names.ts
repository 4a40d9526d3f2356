import { z } from 'zod';
import type { StateDatabase } from '../../storage/state-database.ts';

/** The names of the secrets of a set, as they are stored. */
export const Names = z.array(z.string());

/** The topic of hints that the secrets of a deployment may have changed. */
const CHANGED = 'secrets:changed';

/**
 * Finds the names of deployments' secrets, by which the values of the secrets are removed from spans. The
 * names are needed for every incoming span, so they are cached.
 */
export class SecretNames {
  readonly #db: StateDatabase;
  /** The names by the ID of the API key, until the next hint. In a team, a hint arrives when the bus is next polled. */
  readonly #ofKeys = new Map<string, Promise<readonly string[]>>();
  /** Whether the next hint will empty the cache. */
  #isWatching = false;

  constructor(db: StateDatabase) {
    this.#db = db;
  }

  /** Finds the names of all secrets that the deployment of a key has or had; none for other keys. */
  findForKey(keyId: string): Promise<readonly string[]> {
    const known = this.#ofKeys.get(keyId);
    if (known !== undefined) return known;
    if (!this.#isWatching) void this.#forgetWhenChanged();
    const found = this.#find(keyId);
    this.#ofKeys.set(keyId, found);
    // The callers that wait get the error, and the next call tries again.
    found.catch(() => this.#ofKeys.delete(keyId));
    return found;
  }

  /** Tells all servers that the secrets of a deployment may have changed. */
  announceChange(): void {
    this.#db.bus.hint(CHANGED);
  }

  async #forgetWhenChanged(): Promise<void> {
    this.#isWatching = true;
    await this.#db.bus.next(CHANGED, new AbortController().signal);
    this.#isWatching = false;
    this.#ofKeys.clear();
  }

  async #find(keyId: string): Promise<readonly string[]> {
    const key = await this.#db
      .selectFrom('api_keys')
      .select('deployment_id')
      .where('id', '=', keyId)
      .executeTakeFirst();
    const deploymentId = key?.deployment_id;
    if (deploymentId == null) return [];
    const rows = await this.#db
      .selectFrom('secret_sets')
      .select('names')
      .where('deployment_id', '=', deploymentId)
      .execute();
    return rows.flatMap(({ names }) => Names.parse(JSON.parse(names)));
  }
}
