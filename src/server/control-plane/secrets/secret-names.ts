import { z } from 'zod';
import type { StateDatabase } from '../../storage/state-database.ts';

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
  /** Resolves at the next hint; undefined while nothing is cached. */
  #changed: Promise<void> | undefined;

  constructor(db: StateDatabase) {
    this.#db = db;
  }

  /** The names of all secrets that the deployment of a key has or had; none for other keys. */
  ofKey(keyId: string): Promise<readonly string[]> {
    const known = this.#ofKeys.get(keyId);
    if (known !== undefined) return known;
    this.#changed ??= this.#forgetWhenChanged();
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
    await this.#db.bus.next(CHANGED, new AbortController().signal);
    this.#changed = undefined;
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
