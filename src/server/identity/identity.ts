import type { IncomingHttpHeaders } from 'node:http';
import { v7 as uuidv7 } from 'uuid';
import type { Access, AskedRight } from '../../contract/endpoint.ts';
import { settled } from '../../process/settled.ts';
import type { Caller } from '../http/caller.ts';
import { forbidden, HttpError } from '../http/errors.ts';
import { type Grant, grantColumns, readGrant, requireRight } from '../http/grant.ts';
import { ifReachable } from '../storage/if-reachable.ts';
import type { StateDatabase } from '../storage/state-database.ts';
import { HeldOpen } from './held-open.ts';
import { stillGood } from './key-ends.ts';
import { apiKeyPrefix, hashApiKey, isBearerToken, newApiKey, newBearerToken } from './keys.ts';

/** Keys were revoked, or have lost workspaces. */
const KEYS_CHANGED = 'keys:changed';
const DAY_MS = 86_400_000;

interface KnownKey {
  readonly keyId: string;
  readonly organizationId: string;
  readonly workspaceIds: readonly string[];
  readonly grant: Grant;
}

/** A key, as it is remembered. */
interface RememberedKey extends KnownKey {
  /** Milliseconds since 1970. */
  readonly endsAt: number;
}

/** Organizations, workspaces and API keys: identifies callers and their workspaces. */
export class Identity {
  readonly #db: StateDatabase;
  /** Keys by hash, cached because every request needs them. Call `forget` after changes. */
  readonly #known = new Map<string, RememberedKey>();
  readonly #held: HeldOpen;
  readonly #closing = new AbortController();
  /** The keys of the machine's own clients. */
  #ownerKeyIds: ReadonlySet<string> = new Set();
  /** The same by hash, as they were when they were set. */
  #ownerKeys: ReadonlyMap<string, RememberedKey> = new Map();
  /** Waits for the next key that ends at a time. */
  #ending: NodeJS.Timeout | undefined;
  #ownerPlace = 'the machine itself';

  constructor(db: StateDatabase) {
    this.#db = db;
    this.#held = new HeldOpen(db);
  }

  /** The organization and workspace of everything local, created at the first start. */
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
   * Makes a key linked to workspaces of one organization. The key is returned once and stored only hashed.
   * @param options.key a key that the administrator has chosen, instead of a new one.
   */
  async createKey(options: {
    organizationId: string;
    workspaceIds: readonly string[];
    name: string;
    grant: Grant;
    key?: string | undefined;
  }): Promise<string> {
    const key = options.key ?? newApiKey();
    const id = uuidv7();
    const hash = hashApiKey(key);
    await this.#db.transaction().execute(async (transaction) => {
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
   * Revokes all keys with one of these names, or those that were made for a deployment, together with their tokens.
   * @returns how many
   */
  async revokeKeys(
    which:
      | { readonly names: readonly string[]; readonly besides?: readonly string[] }
      | { readonly deploymentId: string },
  ): Promise<number> {
    const all = this.#db
      .updateTable('api_keys')
      .set({ revoked_at: new Date().toISOString() })
      .where(stillGood);
    const revoked = await ('names' in which
      ? all
          .where('name', 'in', which.names)
          .where('hash', 'not in', [...(which.besides ?? []).map(hashApiKey), ''])
      : all.where('deployment_id', '=', which.deploymentId)
    ).executeTakeFirst();
    await this.forget();
    return Number(revoked.numUpdatedRows);
  }

  /** Whether a key, kept from an earlier start, still opens this data folder. */
  async isKnown(key: string): Promise<boolean> {
    return (await this.#look(key)) !== undefined;
  }

  /** The name of a key that is good; undefined for others. */
  async nameOf(key: string): Promise<string | undefined> {
    const row = await this.#db
      .selectFrom('api_keys')
      .select('name')
      .where('hash', '=', hashApiKey(key))
      .where(stillGood)
      .executeTakeFirst();
    return row?.name;
  }

  async renameKey(key: string, name: string): Promise<void> {
    await this.#db.updateTable('api_keys').set({ name }).where('hash', '=', hashApiKey(key)).execute();
  }

  /**
   * Sets the keys of the machine's own clients, which have access beyond a workspace: one, or two while it is changed.
   * @param place where its administrator finds it, for error messages.
   */
  async setOwner(keys: readonly string[], place: string): Promise<void> {
    const found = await Promise.all(keys.map((key) => this.#look(key)));
    this.#ownerKeyIds = new Set(found.flatMap((key) => key?.keyId ?? []));
    this.#ownerKeys = new Map(
      keys.flatMap((key, at) => (found[at] === undefined ? [] : [[hashApiKey(key), found[at]] as const])),
    );
    this.#ownerPlace = place;
    this.#known.clear();
    await this.#endInTime();
  }

  /** Where the owner's key is found, in words. */
  get ownerPlace(): string {
    return this.#ownerPlace;
  }

  /** The workspaces that a caller may give keys to, rename and delete. */
  async reach(caller: Caller): Promise<ReadonlySet<string>> {
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

  isOwner(keyId: string): boolean {
    return this.#ownerKeyIds.has(keyId);
  }

  /** Clears the cache after changes, and closes connections of revoked keys, here and on other servers. */
  async forget(): Promise<void> {
    this.#known.clear();
    this.#db.bus.hint(KEYS_CHANGED);
    await this.#held.check();
    await this.#endInTime();
  }

  /** Closes connections of keys that end at a time, when it has come; the keys themselves are refused from then on. */
  async #endInTime(): Promise<void> {
    clearTimeout(this.#ending);
    const next = await this.#db
      .selectFrom('api_keys')
      .select('revoked_at')
      .where('revoked_at', '>', new Date().toISOString())
      .orderBy('revoked_at')
      .executeTakeFirst();
    if (next?.revoked_at == null || this.#closing.signal.aborted) return;
    const ms = Math.min(Date.parse(next.revoked_at) - Date.now() + 1, DAY_MS);
    clearTimeout(this.#ending);
    this.#ending = setTimeout(() => void settled(this.forget()), ms).unref();
  }

  /**
   * Learns of keys that other servers have revoked, until `close`. A cached key is at most as old as a poll of the bus,
   * even while the database cannot be reached.
   */
  async followOthers(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await this.#db.bus.next(KEYS_CHANGED, signal);
      this.#known.clear();
      // The next check may reach the database.
      if (!signal.aborted) await settled(this.#held.check());
    }
  }

  close(): void {
    this.#closing.abort();
    clearTimeout(this.#ending);
  }

  /** Ends something when its caller's key is revoked. @returns a function that releases it. */
  hold(caller: Caller, end: () => void): () => void {
    return this.#held.hold(caller, end);
  }

  /**
   * Identifies the caller, and checks that their key has the required right. All callers are identified here
   * (docs/interface/tracing.md#addresses-and-credentials).
   * @throws HttpError 401 without a valid key, 403 when it lacks the right, the workspace is not the key's, or
   * none was chosen among several.
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
    const key = await (isToken
      ? this.#findBearer(presented)
      : access.credentials === 'api-key-alone'
        ? this.#findWhileAway(presented)
        : this.#find(presented));
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
   * Identifies the caller of a deployment's address: any key linked to its workspace is accepted, without a tenant
   * ID, but not the key of another deployment.
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
      throw forbidden('This is the key of another deployment. It can only call its own.');
    return caller;
  }

  #requireRight(grant: Grant, right: AskedRight, isOwner: boolean): void {
    if (right !== 'owner') requireRight(grant, right);
    else if (!isOwner)
      throw forbidden(
        `This requires the owner's key, which is in ${this.#ownerPlace}. The keys of workspaces give access to their workspaces only.`,
      );
  }

  /**
   * A token for the caller's workspace, valid until it expires or its key is revoked.
   * @throws HttpError 403 for a caller with such a token, which could be renewed forever.
   */
  async createBearerToken(caller: Caller, lifetimeMs: number): Promise<{ token: string; expiresAt: string }> {
    if (caller.by.kind !== 'api-key') throw forbidden('Only an API key can be exchanged for a bearer token.');
    const token = newBearerToken();
    const expiresAt = new Date(Date.now() + lifetimeMs).toISOString();
    await this.#db.deleteFrom('bearer_tokens').where('expires_at', '<', new Date().toISOString()).execute();
    await this.#db
      .insertInto('bearer_tokens')
      .values({
        hash: hashApiKey(token),
        api_key_id: caller.by.keyId,
        workspace_id: caller.workspaceId,
        expires_at: expiresAt,
      })
      .execute();
    return { token, expiresAt };
  }

  /** @throws HttpError 401 */
  async #findBearer(token: string): Promise<KnownKey> {
    const row = await this.#db
      .selectFrom('bearer_tokens')
      .innerJoin('api_keys', 'api_keys.id', 'bearer_tokens.api_key_id')
      .select([
        'api_keys.id',
        'api_keys.organization_id',
        'api_keys.rights',
        'api_keys.projects',
        'api_keys.deployment_id',
        'bearer_tokens.workspace_id',
      ])
      .where('bearer_tokens.hash', '=', hashApiKey(token))
      .where('bearer_tokens.expires_at', '>', new Date().toISOString())
      .where(stillGood)
      .executeTakeFirst();
    if (row === undefined) {
      throw new HttpError(401, 'This bearer token is not valid or has expired.', {
        'www-authenticate': 'Bearer error="invalid_token"',
      });
    }
    return {
      keyId: row.id,
      organizationId: row.organization_id,
      workspaceIds: [row.workspace_id],
      grant: readGrant(row),
    };
  }

  /** @throws HttpError 401 */
  async #find(key: string): Promise<KnownKey> {
    const found = await this.#look(key);
    if (found !== undefined) return found;
    throw new HttpError(401, 'This API key is not valid.', { 'www-authenticate': 'Bearer' });
  }

  /**
   * The same, but the owner's key is known while the database cannot be reached, so that metrics can say so.
   * @throws HttpError 401
   */
  async #findWhileAway(key: string): Promise<KnownKey> {
    const own = this.#ownerKeys.get(hashApiKey(key));
    if (own === undefined || Date.now() >= own.endsAt) return this.#find(key);
    return (await ifReachable(this.#db, () => this.#find(key))) ?? own;
  }

  async #look(key: string): Promise<RememberedKey | undefined> {
    const hash = hashApiKey(key);
    const known = this.#known.get(hash);
    if (known !== undefined && Date.now() < known.endsAt) return known;
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
      .where(stillGood)
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
      endsAt: first.revoked_at === null ? Number.POSITIVE_INFINITY : Date.parse(first.revoked_at),
    };
    this.#known.set(hash, found);
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

function presentedKey(headers: IncomingHttpHeaders): string | undefined {
  const apiKey = single(headers, 'x-api-key', 401);
  if (apiKey !== undefined) return apiKey;
  const [scheme, token] = headers.authorization?.split(' ') ?? [];
  return scheme?.toLowerCase() === 'bearer' && token !== undefined && token !== '' ? token : undefined;
}

/**
 * The value of a header that a client may send twice, in two spellings; Node joins repeated headers with a comma.
 * @throws HttpError when the values differ, because it is unclear which one is meant.
 */
function single(headers: IncomingHttpHeaders, name: string, status: number): string | undefined {
  const values = new Set(
    [headers[name] ?? []]
      .flat()
      .flatMap((value) => value.split(','))
      .map((value) => value.trim())
      .filter((value) => value !== ''),
  );
  if (values.size > 1)
    throw new HttpError(status, `The ${name} header has several different values. Send one.`);
  const [value] = values;
  return value;
}

/** @param isOwner whether it is the owner's key, whose default is the first of its workspaces. */
function chooseWorkspace(key: KnownKey, headers: IncomingHttpHeaders, isOwner: boolean): string {
  const wanted = single(headers, 'x-tenant-id', 403);
  const [only, ...others] = key.workspaceIds;
  if (wanted === undefined) {
    if (only !== undefined && (others.length === 0 || isOwner)) return only;
    throw new HttpError(
      403,
      'This API key requires workspace specification: send a workspace ID in the x-tenant-id header.',
      {},
      'org_scoped_key_requires_workspace',
    );
  }
  if (!key.workspaceIds.includes(wanted.toLowerCase())) {
    throw new HttpError(403, `This API key is not linked to workspace '${wanted}'.`);
  }
  return wanted.toLowerCase();
}
