import type { IncomingHttpHeaders } from 'node:http';
import type { Transaction } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { Access, RequiredRight } from '../../contract/endpoint.ts';
import { settled } from '../../process/settled.ts';
import type { Caller } from '../http/caller.ts';
import { forbidden, HttpError } from '../http/errors.ts';
import { type Grant, grantColumns, requireRight } from '../http/grant.ts';
import type { StateDatabase } from '../storage/state-database.ts';
import type { StateSchema } from '../storage/state-schema.ts';
import { BearerTokens } from './bearer-tokens.ts';
import { isActive, KeyExpiry } from './key-expiry.ts';
import { type ActiveKey, KeyLookup } from './key-lookup.ts';
import { apiKeyPrefix, hashApiKey, isBearerToken, newApiKey } from './keys.ts';
import { OpenConnections } from './open-connections.ts';
import { chooseWorkspace, presentedKey } from './presented-key.ts';

/** Announces that keys were revoked or narrowed, or have lost workspaces. */
const KEYS_CHANGED = 'keys:changed';

/** Identifies callers and their workspaces by API keys and tokens, and creates and revokes keys. */
export class Identity {
  readonly #db: StateDatabase;
  readonly #keys: KeyLookup;
  readonly #expiry: KeyExpiry;
  readonly #connections: OpenConnections;
  readonly #closing = new AbortController();
  readonly bearerTokens: BearerTokens;
  #ownerPlace = 'the machine itself';

  constructor(db: StateDatabase) {
    this.#db = db;
    this.#keys = new KeyLookup(db);
    this.#expiry = new KeyExpiry(db, () => this.applyKeyChanges());
    this.#connections = new OpenConnections(db);
    this.bearerTokens = new BearerTokens(db);
  }

  /** Finds the organization and workspace of everything local, or creates them at the first start. */
  async findDefaultWorkspace(): Promise<{ organizationId: string; workspaceId: string }> {
    const existing = await this.#db
      .selectFrom('workspaces')
      .select(['id', 'organization_id'])
      .orderBy('created_at')
      .executeTakeFirst();
    if (existing !== undefined) return { organizationId: existing.organization_id, workspaceId: existing.id };
    const now = new Date().toISOString();
    const organizationId = uuidv7();
    const workspaceId = uuidv7();
    await this.#db.transaction().execute(async (transaction) => {
      await transaction
        .insertInto('organizations')
        .values({ id: organizationId, name: 'Local', created_at: now })
        .execute();
      await transaction
        .insertInto('workspaces')
        .values({ id: workspaceId, organization_id: organizationId, name: 'Local', created_at: now })
        .execute();
    });
    return { organizationId, workspaceId };
  }

  /**
   * Creates a key that is linked to workspaces of an organization. Only its hash and its first characters are
   * stored.
   * @param options.key a key that the administrator has chosen, instead of a new one.
   * @param prepare runs first in the same transaction, for example to revoke the key that this one replaces.
   * @returns the key.
   */
  async createKey(
    options: {
      organizationId: string;
      workspaceIds: readonly string[];
      name: string;
      grant: Grant;
      key?: string | undefined;
    },
    prepare?: (transaction: Transaction<StateSchema>) => Promise<void>,
  ): Promise<string> {
    const key = options.key ?? newApiKey();
    const id = uuidv7();
    const hash = hashApiKey(key);
    await this.#db.transaction().execute(async (transaction) => {
      await prepare?.(transaction);
      // A chosen key may have been replaced by another one, and chosen again later.
      await transaction
        .deleteFrom('api_keys')
        .where('hash', '=', hash)
        .where('revoked_at', '<=', new Date().toISOString())
        .execute();
      await transaction
        .insertInto('api_keys')
        .values({
          id,
          organization_id: options.organizationId,
          name: options.name,
          hash,
          prefix: apiKeyPrefix(key),
          ...grantColumns(options.grant),
          created_at: new Date().toISOString(),
          revoked_at: null,
        })
        .execute();
      await transaction
        .insertInto('api_key_workspaces')
        .values(options.workspaceIds.map((workspace_id) => ({ api_key_id: id, workspace_id })))
        .execute();
    });
    return key;
  }

  /**
   * Revokes all keys with one of these names, or all that were made for a deployment, together with their
   * tokens.
   * @param which.besides keys that stay valid even if they have one of the names.
   * @returns the number of revoked keys.
   */
  async revokeKeys(
    which:
      | { readonly names: readonly string[]; readonly besides?: readonly string[] }
      | { readonly deploymentId: string },
  ): Promise<number> {
    const revoking = this.#db
      .updateTable('api_keys')
      .set({ revoked_at: new Date().toISOString() })
      .where(isActive);
    const revoked = await ('names' in which
      ? revoking
          .where('name', 'in', which.names)
          // PostgreSQL allows no empty list, and no key has an empty hash.
          .where('hash', 'not in', [...(which.besides ?? []).map(hashApiKey), ''])
      : revoking.where('deployment_id', '=', which.deploymentId)
    ).executeTakeFirst();
    await this.applyKeyChanges();
    return Number(revoked.numUpdatedRows);
  }

  /** Whether a key is valid, for example one from an earlier start. */
  async isKnown(key: string): Promise<boolean> {
    return (await this.#keys.find(key)) !== undefined;
  }

  /** The name of a valid key; undefined for any other. */
  async readKeyName(key: string): Promise<string | undefined> {
    const row = await this.#db
      .selectFrom('api_keys')
      .select('name')
      .where('hash', '=', hashApiKey(key))
      .where(isActive)
      .executeTakeFirst();
    return row?.name;
  }

  async renameKey(key: string, name: string): Promise<void> {
    await this.#db.updateTable('api_keys').set({ name }).where('hash', '=', hashApiKey(key)).execute();
  }

  /**
   * Sets the owner's keys, with which the machine's own clients have access beyond a workspace. There are two
   * while the key is being replaced.
   * @param place where the administrator finds the key, for error messages.
   */
  async setOwner(keys: readonly string[], place: string): Promise<void> {
    await this.#keys.setOwnerKeys(keys);
    this.#ownerPlace = place;
    await this.#expiry.schedule();
  }

  /** Where the owner's key can be found, in words. */
  get ownerPlace(): string {
    return this.#ownerPlace;
  }

  /**
   * Finds the workspaces to which a caller has access. The caller may rename and delete them, and create
   * keys for them.
   */
  async findReachable(caller: Caller): Promise<ReadonlySet<string>> {
    if (caller.by.kind !== 'api-key') return new Set([caller.workspaceId]);
    const rows =
      caller.isOwner === true
        ? await this.#db
            .selectFrom('workspaces')
            .select('id')
            .where('organization_id', '=', caller.organizationId)
            .execute()
        : await this.#db
            .selectFrom('api_key_workspaces')
            .select('workspace_id as id')
            .where('api_key_id', '=', caller.by.keyId)
            .execute();
    return new Set(rows.map(({ id }) => id));
  }

  /** Whether a key is one of the owner's. */
  isOwner(keyId: string): boolean {
    return this.#keys.isOwner(keyId);
  }

  /**
   * Makes changes of keys take effect, here and on other servers: cached keys are read again, and
   * connections of revoked or narrowed keys are closed.
   */
  async applyKeyChanges(): Promise<void> {
    this.#keys.forget();
    this.#db.bus.hint(KEYS_CHANGED);
    await this.#connections.check();
    await this.#expiry.schedule();
  }

  /**
   * Follows changes of keys by other servers, until `close`. A key is cached no longer than the polling
   * interval of the bus, even while the database cannot be reached.
   */
  async followOthers(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await this.#db.bus.next(KEYS_CHANGED, signal);
      this.#keys.forget();
      // A failed check is repeated at the next change or poll.
      if (!signal.aborted) await settled(this.#connections.check());
    }
  }

  close(): void {
    this.#closing.abort();
    this.#expiry.close();
  }

  /**
   * Calls `end` when the caller's key is revoked or its rights change.
   * @returns a function that unregisters `end`
   */
  onRevoked(caller: Caller, end: () => void): () => void {
    return this.#connections.add(caller, end);
  }

  /**
   * Identifies the caller, and checks that their key has the required right. All callers are identified here
   * (docs/interface/tracing.md#addresses-and-credentials).
   * @throws HttpError 401 without a valid key or with several, 403 when it lacks the right, the workspace
   * is not the key's, or none was chosen among several.
   */
  async authenticate(headers: IncomingHttpHeaders, access: Access): Promise<Caller> {
    if (!('right' in access)) {
      return { organizationId: '', workspaceId: '', by: { kind: 'anonymous' } };
    }
    const presented = presentedKey(headers);
    if (presented === undefined) {
      throw new HttpError(401, 'Send an API key in the x-api-key header.', { 'www-authenticate': 'Bearer' });
    }
    const isToken = isBearerToken(presented);
    const key = await (isToken ? this.bearerTokens.require(presented) : this.#require(presented, access));
    const isOwner = !isToken && this.isOwner(key.keyId);
    this.#requireRight(key.grant, access.right, isOwner);
    return {
      organizationId: key.organizationId,
      workspaceId: access.credentials === 'api-key-alone' ? '' : chooseWorkspace(key, headers, isOwner),
      by: { kind: isToken ? 'bearer' : 'api-key', keyId: key.keyId },
      grant: key.grant,
      isOwner,
    };
  }

  /**
   * Identifies the caller of a deployment's address: any key linked to its workspace is accepted, without a
   * tenant ID, but not the key of another deployment.
   * @throws HttpError 401 without a valid key, 403 when it lacks the right or is not for this deployment.
   */
  async authenticateAt(
    deployment: { readonly id: string; readonly workspaceId: string },
    headers: IncomingHttpHeaders,
    access: Access,
  ): Promise<Caller> {
    const caller = await this.authenticate({ ...headers, 'x-tenant-id': deployment.workspaceId }, access);
    const madeFor = caller.grant?.deploymentId;
    if (madeFor !== undefined && madeFor !== deployment.id)
      throw forbidden('This is the key of another deployment, which can only call that deployment.');
    return caller;
  }

  #requireRight(grant: Grant, right: RequiredRight, isOwner: boolean): void {
    if (right !== 'owner') requireRight(grant, right);
    else if (!isOwner)
      throw forbidden(
        `This requires the owner's key, which is in ${this.#ownerPlace}. The keys of workspaces give access to their workspaces only.`,
      );
  }

  /** The access of an API key. @throws HttpError 401 if it is not valid. */
  async #require(key: string, access: Extract<Access, { right: unknown }>): Promise<ActiveKey> {
    const found = await (access.credentials === 'api-key-alone'
      ? // Metrics must be readable while the database cannot be reached.
        this.#keys.findEvenOffline(key)
      : this.#keys.find(key));
    if (found !== undefined) return found;
    throw new HttpError(401, 'This API key is not valid.', { 'www-authenticate': 'Bearer' });
  }
}
