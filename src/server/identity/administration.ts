import { v7 as uuidv7 } from 'uuid';
import type { ApiKey, Organization, Workspace } from '../../contract/identity.ts';
import type { Caller } from '../http/caller.ts';
import { forbidden, notFound } from '../http/errors.ts';
import type { StateDatabase } from '../storage/state-database.ts';
import type { Identity } from './identity.ts';
import { apiKeyPrefix, hashApiKey } from './keys.ts';

/**
 * Creates, lists and deletes organizations, workspaces and keys. A key has access to its own workspaces, the
 * machine's own key to its organization.
 */
export class IdentityAdministration {
  readonly #db: StateDatabase;
  readonly #identity: Identity;

  constructor(db: StateDatabase, identity: Identity) {
    this.#db = db;
    this.#identity = identity;
  }

  /** @throws HttpError 404 */
  async readOrganization(caller: Caller): Promise<Organization> {
    const row = await this.#db
      .selectFrom('organizations')
      .selectAll()
      .where('id', '=', caller.organizationId)
      .executeTakeFirst();
    if (row === undefined) throw notFound('Organization', caller.organizationId);
    return { id: row.id, display_name: row.name, created_at: row.created_at };
  }

  /** An organization with its first workspace and the key that opens it. */
  async createOrganization(name: string): Promise<Organization & { workspace_id: string; key: string }> {
    const organizationId = uuidv7();
    const created_at = new Date().toISOString();
    await this.#db.insertInto('organizations').values({ id: organizationId, name, created_at }).execute();
    const workspace = await this.#insertWorkspace(organizationId, name);
    const key = await this.#identity.createKey({
      organizationId,
      workspaceIds: [workspace.id],
      name: 'First key',
    });
    return { id: organizationId, display_name: name, created_at, workspace_id: workspace.id, key };
  }

  async listWorkspaces(caller: Caller): Promise<Workspace[]> {
    const rows = await this.#db
      .selectFrom('workspaces')
      .innerJoin('api_key_workspaces', 'api_key_workspaces.workspace_id', 'workspaces.id')
      .selectAll('workspaces')
      .where('api_key_workspaces.api_key_id', '=', caller.by.kind === 'api-key' ? caller.by.keyId : '')
      .orderBy('workspaces.created_at')
      .execute();
    return rows.map(workspaceOf);
  }

  /** A workspace in the caller's organization; keys to it are made for it. */
  async createWorkspace(caller: Caller, name: string): Promise<Workspace> {
    return this.#insertWorkspace(caller.organizationId, name);
  }

  /** @throws HttpError 404 for a workspace the caller has no access to. */
  async renameWorkspace(caller: Caller, id: string, name: string): Promise<Workspace> {
    if (!(await this.#identity.reach(caller)).has(id)) throw notFound('Workspace', id);
    const row = await this.#db
      .updateTable('workspaces')
      .set({ name })
      .where('id', '=', id)
      .where('organization_id', '=', caller.organizationId)
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) throw notFound('Workspace', id);
    return workspaceOf(row);
  }

  /** The keys that open the caller's workspace. */
  async listKeys(caller: Caller): Promise<ApiKey[]> {
    const rows = await this.#db
      .selectFrom('api_keys')
      .innerJoin('api_key_workspaces', 'api_key_workspaces.api_key_id', 'api_keys.id')
      .selectAll('api_keys')
      .where('api_key_workspaces.workspace_id', '=', caller.workspaceId)
      .orderBy('api_keys.created_at')
      .execute();
    return Promise.all(rows.map((row) => this.#describeKey(row)));
  }

  /** @throws HttpError 403 for a workspace the caller has no access to. */
  async createKey(
    caller: Caller,
    options: { description: string; workspaces: readonly string[] | undefined },
  ): Promise<ApiKey & { key: string }> {
    const workspaceIds = [...new Set(options.workspaces ?? [caller.workspaceId])];
    const reached = await this.#identity.reach(caller);
    const foreign = workspaceIds.find((id) => !reached.has(id));
    if (foreign !== undefined) throw forbidden(`This key has no access to workspace '${foreign}'.`);
    const key = await this.#identity.createKey({
      organizationId: caller.organizationId,
      workspaceIds,
      name: options.description,
    });
    const row = await this.#db
      .selectFrom('api_keys')
      .selectAll()
      .where('hash', '=', hashApiKey(key))
      .executeTakeFirstOrThrow();
    return { ...(await this.#describeKey(row)), short_key: apiKeyPrefix(key), key };
  }

  /**
   * Revokes a key of the caller's workspace immediately.
   * @throws HttpError 404, 403 for a key with more access than the caller's.
   */
  async revokeKey(caller: Caller, id: string): Promise<ApiKey> {
    const links = await this.#db
      .selectFrom('api_key_workspaces')
      .select('workspace_id')
      .where('api_key_id', '=', id)
      .execute();
    const reached = await this.#identity.reach(caller);
    const isOwners = this.#identity.isOwner(id) && caller.isOwner !== true;
    const isKnown = links.some((link) => link.workspace_id === caller.workspaceId);
    if (isKnown && (isOwners || links.some((link) => !reached.has(link.workspace_id)))) {
      throw forbidden(
        "This key has access to workspaces that your key does not. Revoke it with a key that has access to all of them, or with the machine's own key.",
      );
    }
    const row = await this.#db
      .updateTable('api_keys')
      .set({ revoked_at: new Date().toISOString() })
      .where('id', '=', id)
      .where('organization_id', '=', caller.organizationId)
      .where('id', 'in', (query) =>
        query
          .selectFrom('api_key_workspaces')
          .select('api_key_id')
          .where('workspace_id', '=', caller.workspaceId),
      )
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) throw notFound('API key', id);
    await this.#identity.forget();
    return this.#describeKey(row);
  }

  async #insertWorkspace(organizationId: string, name: string): Promise<Workspace> {
    const row = {
      id: uuidv7(),
      organization_id: organizationId,
      name,
      created_at: new Date().toISOString(),
    };
    await this.#db.insertInto('workspaces').values(row).execute();
    return workspaceOf(row);
  }

  async #describeKey(row: {
    id: string;
    prefix: string;
    name: string;
    created_at: string;
    revoked_at: string | null;
  }): Promise<ApiKey> {
    const links = await this.#db
      .selectFrom('api_key_workspaces')
      .select('workspace_id')
      .where('api_key_id', '=', row.id)
      .execute();
    return {
      id: row.id,
      short_key: row.prefix,
      description: row.name,
      workspaces: links.map((link) => link.workspace_id),
      created_at: row.created_at,
      revoked_at: row.revoked_at,
    };
  }
}

function workspaceOf(row: {
  id: string;
  organization_id: string;
  name: string;
  created_at: string;
}): Workspace {
  return {
    id: row.id,
    organization_id: row.organization_id,
    display_name: row.name,
    created_at: row.created_at,
  };
}
