import { type Grant, readGrant } from '../http/grant.ts';
import { ifReachable } from '../storage/if-reachable.ts';
import type { StateDatabase } from '../storage/state-database.ts';
import { isActive } from './key-expiry.ts';
import { hashApiKey } from './keys.ts';

/** A credential that is accepted, and what it gives access to. */
export interface ActiveKey {
  readonly keyId: string;
  readonly organizationId: string;
  readonly workspaceIds: readonly string[];
  readonly grant: Grant;
}

/** A key, as it is cached. */
interface CachedKey extends ActiveKey {
  /** When the key expires, in ms since the epoch; `Infinity` for a key that does not expire. */
  readonly expiresAt: number;
}

/** Looks up API keys, and which of them are the owner's: the keys of the machine's own clients. */
export class KeyLookup {
  readonly #db: StateDatabase;
  /** Keys by hash, cached because every request needs them. Call `forget` after changes. */
  #cached = new Map<string, CachedKey>();
  #ownerKeyIds: ReadonlySet<string> = new Set();
  /** The owner's keys by hash, with the access that they had when they were set. */
  #ownerKeys: ReadonlyMap<string, CachedKey> = new Map();

  constructor(db: StateDatabase) {
    this.#db = db;
  }

  /** Finds a key; undefined if it does not exist or is revoked. */
  async find(key: string): Promise<ActiveKey | undefined> {
    return this.#find(key);
  }

  /** Like `find`, but also finds the owner's keys while the database cannot be reached. */
  async findEvenOffline(key: string): Promise<ActiveKey | undefined> {
    const own = this.#ownerKeys.get(hashApiKey(key));
    if (own === undefined || Date.now() >= own.expiresAt) return this.#find(key);
    const found = await ifReachable(this.#db, async () => ({ key: await this.#find(key) }));
    return found === undefined ? own : found.key;
  }

  async setOwnerKeys(keys: readonly string[]): Promise<void> {
    const found = await Promise.all(keys.map((key) => this.#find(key)));
    this.#ownerKeyIds = new Set(found.flatMap((key) => key?.keyId ?? []));
    this.#ownerKeys = new Map(
      keys.flatMap((key, at) => (found[at] === undefined ? [] : [[hashApiKey(key), found[at]] as const])),
    );
    this.forget();
  }

  isOwner(keyId: string): boolean {
    return this.#ownerKeyIds.has(keyId);
  }

  /** Empties the cache. Keys that are being read are not cached, because they may have changed since. */
  forget(): void {
    this.#cached = new Map();
  }

  async #find(key: string): Promise<CachedKey | undefined> {
    const hash = hashApiKey(key);
    const cache = this.#cached;
    const cached = cache.get(hash);
    if (cached !== undefined && Date.now() < cached.expiresAt) return cached;
    const rows = await this.#db
      .selectFrom('api_keys')
      .innerJoin('api_key_workspaces', 'api_key_workspaces.api_key_id', 'api_keys.id')
      .select([
        'api_keys.id',
        'api_keys.organization_id',
        'api_keys.rights',
        'api_keys.projects',
        'api_keys.deployment_id',
        'api_keys.revoked_at',
        'api_key_workspaces.workspace_id',
      ])
      .where('api_keys.hash', '=', hash)
      .where(isActive)
      .execute();
    const [first] = rows;
    if (first === undefined) return undefined;
    const linked = rows.map((row) => row.workspace_id);
    const found = {
      keyId: first.id,
      organizationId: first.organization_id,
      workspaceIds: this.isOwner(first.id)
        ? [...new Set([...linked, ...(await this.#workspacesOf(first.organization_id))])]
        : linked,
      grant: readGrant(first),
      expiresAt: first.revoked_at === null ? Number.POSITIVE_INFINITY : Date.parse(first.revoked_at),
    };
    cache.set(hash, found);
    return found;
  }

  async #workspacesOf(organizationId: string): Promise<string[]> {
    const rows = await this.#db
      .selectFrom('workspaces')
      .select('id')
      .where('organization_id', '=', organizationId)
      .execute();
    return rows.map(({ id }) => id);
  }
}
