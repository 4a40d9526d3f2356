import { z } from 'zod';
import type { StateDatabase } from '../../storage/state-database.ts';

export const Names = z.array(z.string());

/** Announces that the secrets of a deployment may have changed. */
const CHANGED = 'secrets:changed';

/** The names of the secrets of deployments, which spans must not show; read for every incoming span. */
export class SecretNames {
  readonly #db: StateDatabase;
  /**
   * The names by key, cached until the next hint that they may have changed: in a team, for no longer than the interval
   * at which the bus is polled.
   */
  readonly #ofKeys = new Map<string, Promise<readonly string[]>>();
  /** Resolves at that hint; undefined while nothing is known. */
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
    // The caller gets the error, and the next one tries again.
    found.catch(() => this.#ofKeys.delete(keyId));
    return found;
  }

  /** Announces to all servers that the secrets of a deployment may have changed. */
  forget(): void {
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
