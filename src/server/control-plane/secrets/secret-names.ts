import { z } from 'zod';
import type { StateDatabase } from '../../storage/state-database.ts';
import { deploymentOfKey } from '../deployments/key-name.ts';

export const Names = z.array(z.string());

/** The names of the secrets of deployments, which spans must not show; read for every incoming span. */
export class SecretNames {
  readonly #db: StateDatabase;
  readonly #ofKeys = new Map<string, Promise<readonly string[]>>();

  constructor(db: StateDatabase) {
    this.#db = db;
  }

  /** The names of all secrets that the deployment of a key has or had; of other keys none. */
  ofKey(keyId: string): Promise<readonly string[]> {
    const known = this.#ofKeys.get(keyId) ?? this.#find(keyId);
    this.#ofKeys.set(keyId, known);
    return known;
  }

  /** A deployment may have others from now on. */
  forget(): void {
    this.#ofKeys.clear();
  }

  async #find(keyId: string): Promise<readonly string[]> {
    const key = await this.#db
      .selectFrom('api_keys')
      .select('name')
      .where('id', '=', keyId)
      .executeTakeFirst();
    const deploymentId = key === undefined ? undefined : deploymentOfKey(key.name);
    if (deploymentId === undefined) return [];
    const rows = await this.#db
      .selectFrom('secret_sets')
      .select('names')
      .where('deployment_id', '=', deploymentId)
      .execute();
    return rows.flatMap(({ names }) => Names.parse(JSON.parse(names)));
  }
}
