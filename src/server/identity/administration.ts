import type { Expression, ExpressionBuilder, Selectable, SqlBool, Transaction } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { RIGHTS, type Right } from '../../contract/endpoint.ts';
import type { ApiKey, NewApiKey, Organization, Workspace } from '../../contract/identity.ts';
import type { Caller } from '../http/caller.ts';
import { conflict, forbidden, invalid, notFound } from '../http/errors.ts';
import { type Grant, grantColumns, readGrant, requireAllOf } from '../http/grant.ts';
import type { StateDatabase } from '../storage/state-database.ts';
import type { ApiKeyTable, StateSchema } from '../storage/state-schema.ts';
import type { Identity } from './identity.ts';
import { isActive, isRevoked } from './key-expiry.ts';
import { apiKeyPrefix, hashApiKey } from './keys.ts';

/**
 * Manages organizations, workspaces and keys. A key gives access to its own workspaces, and the owner's key to all
 * workspaces of its organization.
 */
export class IdentityAdministration {
  readonly #db: StateDatabase;
  readonly #identity: Identity;

  constructor(db: StateDatabase, identity: Identity) {
    this.#db = db;
    this.#identity = identity;
  }

  /** The caller's organization. @throws HttpError 404 */
  async readOrganization(caller: Caller): Promise<Organization> {
    const row = await this.#db
      .selectFrom('organizations')
      .selectAll()
      .where('id', '=', caller.organizationId)
      .executeTakeFirst();
    if (row === undefined) throw notFound('Organization', caller.organizationId);
    return { id: row.id, display_name: row.name, created_at: row.created_at };
  }

  /** Creates an organization with its first workspace, and a key to that workspace. */
  async createOrganization(name: string): Promise<Organization & { workspace_id: string; key: string }> {
    const organizationId = uuidv7();
    const created_at = new Date().toISOString();
    await this.#db.insertInto('organizations').values({ id: organizationId, name, created_at }).execute();
    const workspace = await this.#insertWorkspace(organizationId, name);
    const key = await this.#identity.createKey({
      organizationId,
      workspaceIds: [workspace.id],
      name: 'First key',
      grant: { rights: RIGHTS },
    });
    return { id: organizationId, display_name: name, created_at, workspace_id: workspace.id, key };
  }

  /** The workspaces that the caller has access to, the oldest first. */
  async listWorkspaces(caller: Caller): Promise<Workspace[]> {
    const rows = await this.#db
      .selectFrom('workspaces')
      .selectAll()
      // A list in SQL must not be empty.
      .where('id', 'in', [...(await this.#identity.findReachable(caller)), ''])
      .orderBy('created_at')
      .execute();
    return rows.map(workspaceOf);
  }

  /** Creates a workspace in the caller's organization. No existing key except the owner's has access to it. */
  async createWorkspace(caller: Caller, name: string): Promise<Workspace> {
    const workspace = await this.#insertWorkspace(caller.organizationId, name);
    // From now on, the owner's key has access to the workspace.
    await this.#identity.applyKeyChanges();
    return workspace;
  }

  /** @throws HttpError 404 for a workspace to which the caller has no access. */
  async renameWorkspace(caller: Caller, id: string, name: string): Promise<Workspace> {
    if (!(await this.#identity.findReachable(caller)).has(id)) throw notFound('Workspace', id);
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

  /** The keys to the caller's workspace. */
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

  /**
   * Creates a key.
   * @throws HttpError 403 for a workspace, right or project that the caller's key does not have, 422 for projects without
   * `trace`.
   */
  async createKey(
    caller: Caller,
    options: { description: string; workspaces: readonly string[] | undefined; grant: Grant },
  ): Promise<NewApiKey> {
    const { grant, description } = options;
    const workspaceIds = [...new Set(options.workspaces ?? [caller.workspaceId])];
    const reached = await this.#identity.findReachable(caller);
    const foreign = workspaceIds.find((id) => !reached.has(id));
    if (foreign !== undefined) throw forbidden(`Your key has no access to workspace '${foreign}'.`);
    checkProjects(grant);
    requireAllOf(caller.grant ?? NOTHING, grant);
    return this.#createAndDescribe({
      organizationId: caller.organizationId,
      workspaceIds,
      name: description,
      grant,
    });
  }

  /**
   * Changes a key's description, or takes rights or projects from it. This takes effect immediately.
   * @throws HttpError 404; 403 for a key that the caller must not change; 409 if another request changed its rights or
   * projects; 422 for rights or projects that it does not have, or for projects without `trace`.
   */
  async narrowKey(
    caller: Caller,
    id: string,
    change: {
      description?: string | undefined;
      rights?: readonly Right[] | undefined;
      projects?: readonly string[] | undefined;
    },
  ): Promise<ApiKey> {
    const before = await this.#requireManaged(caller, id);
    const has = readGrant(before);
    const other = change.rights?.find((right) => !has.rights.includes(right));
    if (other !== undefined) {
      throw invalid(
        ['body', 'rights'],
        `The key does not have '${other}'. Rights can be taken from a key; to give more, make another key.`,
      );
    }
    const wider = change.projects?.find((name) => has.projects?.includes(name) === false);
    if (wider !== undefined) {
      throw invalid(
        ['body', 'projects'],
        `The key is not for project '${wider}'. To give more, make another key.`,
      );
    }
    const grant: Grant = {
      rights: change.rights ?? has.rights,
      projects: change.projects ?? has.projects,
      deploymentId: has.deploymentId,
    };
    if (change.projects !== undefined) checkProjects(grant);
    const changesGrant = change.rights !== undefined || change.projects !== undefined;
    const row = await this.#db
      .updateTable('api_keys')
      // Only the given fields, so that a concurrent change of others is not overwritten.
      .set(({ ref }) => ({
        name: change.description ?? ref('name'),
        ...(changesGrant ? grantColumns(grant) : {}),
      }))
      .where('id', '=', id)
      // A new description fits any rights.
      .$if(changesGrant, (update) => update.where(hasGrantOf(before)))
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) throw changedMeanwhile();
    await this.#identity.applyKeyChanges();
    return this.#describeKey(row);
  }

  /**
   * Replaces a key with a new one that has the same access, and revokes the old one.
   * @param overlapSeconds how long both keys are valid.
   * @throws HttpError 404; 403 for a key with more access than the caller's; 409 for the owner's key, the
   * key of a deployment, one that was revoked or rotated, or one that another request has just changed.
   */
  async rotateKey(caller: Caller, id: string, overlapSeconds: number): Promise<NewApiKey> {
    const row = await this.#requireManaged(caller, id);
    const grant = readGrant(row);
    if (isRevoked(row)) throw conflict('The key is revoked. Make another one.');
    if (row.revoked_at !== null)
      throw conflict(`The key has been rotated, and ends at ${row.revoked_at}. Rotate the new one.`);
    if (this.#identity.isOwner(id))
      throw conflict(`This is the owner's key, which is in ${this.#identity.ownerPlace}. Change it there.`);
    if (grant.deploymentId !== undefined)
      throw conflict(
        'The key belongs to a deployment and cannot be rotated. It is revoked when the deployment is deleted.',
      );
    requireAllOf(caller.grant ?? NOTHING, grant);
    const { organization_id: organizationId, name } = row;
    const workspaceIds = await this.#workspacesOf(id);
    const made = await this.#createAndDescribe(
      { organizationId, workspaceIds, name, grant },
      async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('api_keys')
          .set({ revoked_at: new Date(Date.now() + overlapSeconds * 1_000).toISOString() })
          .where('id', '=', id)
          .where('revoked_at', 'is', null)
          .where(hasGrantOf(row))
          .executeTakeFirst();
        if (numUpdatedRows === 0n) throw changedMeanwhile();
      },
    );
    await this.#identity.applyKeyChanges();
    return made;
  }

  /**
   * Revokes a key to one of the caller's workspaces, immediately.
   * @throws HttpError 404; 403 for a key with more access than the caller's.
   */
  async revokeKey(caller: Caller, id: string): Promise<ApiKey> {
    await this.#requireManaged(caller, id);
    await this.#db
      .updateTable('api_keys')
      .set({ revoked_at: new Date().toISOString() })
      .where('id', '=', id)
      // A key that was revoked earlier keeps its time.
      .where(isActive)
      .execute();
    await this.#identity.applyKeyChanges();
    return this.#describeKey(await this.#requireManaged(caller, id));
  }

  /**
   * Finds a key that the caller may manage.
   * @throws HttpError 404 for a key to none of the caller's workspaces, 403 for one that also has access to others.
   */
  async #requireManaged(caller: Caller, id: string) {
    const row = await this.#db
      .selectFrom('api_keys')
      .selectAll()
      .where('id', '=', id)
      .where('organization_id', '=', caller.organizationId)
      .executeTakeFirst();
    const linked = row === undefined ? [] : await this.#workspacesOf(id);
    const reached = await this.#identity.findReachable(caller);
    if (row === undefined || !linked.some((workspace) => reached.has(workspace)))
      throw notFound('API key', id);
    if (this.#identity.isOwner(id) && caller.isOwner !== true) throw this.#hasMoreAccess();
    if (linked.some((workspace) => !reached.has(workspace))) throw this.#hasMoreAccess();
    return row;
  }

  /** The refusal for a key with more access than the caller's. */
  #hasMoreAccess() {
    return forbidden(
      `This key has access to workspaces that your key does not. Use a key that has access to all of them, or the owner's key, which is in ${this.#identity.ownerPlace}.`,
    );
  }

  /** @param prepare see {@link Identity.createKey}. */
  async #createAndDescribe(
    options: { organizationId: string; workspaceIds: readonly string[]; name: string; grant: Grant },
    prepare?: (transaction: Transaction<StateSchema>) => Promise<void>,
  ): Promise<NewApiKey> {
    const key = await this.#identity.createKey(options, prepare);
    const row = await this.#db
      .selectFrom('api_keys')
      .selectAll()
      .where('hash', '=', hashApiKey(key))
      .executeTakeFirstOrThrow();
    return { ...(await this.#describeKey(row)), short_key: apiKeyPrefix(key), key };
  }

  async #workspacesOf(keyId: string): Promise<string[]> {
    const links = await this.#db
      .selectFrom('api_key_workspaces')
      .select('workspace_id')
      .where('api_key_id', '=', keyId)
      .execute();
    return links.map((link) => link.workspace_id);
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

  async #describeKey(row: Selectable<ApiKeyTable>): Promise<ApiKey> {
    const grant = readGrant(row);
    return {
      id: row.id,
      short_key: row.prefix,
      description: row.name,
      workspaces: await this.#workspacesOf(row.id),
      rights: [...grant.rights],
      projects: grant.projects === undefined ? null : [...grant.projects],
      deployment_id: grant.deploymentId ?? null,
      created_at: row.created_at,
      revoked_at: row.revoked_at,
    };
  }
}

/** The condition that a key still has the rights and projects that were read. */
function hasGrantOf(before: Pick<Selectable<ApiKeyTable>, 'rights' | 'projects'>) {
  return (on: ExpressionBuilder<StateSchema, 'api_keys'>): Expression<SqlBool> =>
    on.and([
      on('rights', '=', before.rights),
      before.projects === null ? on('projects', 'is', null) : on('projects', '=', before.projects),
    ]);
}

function changedMeanwhile() {
  return conflict('The key was changed at the same time. Try again.');
}

/** The grant of a caller without a key. */
const NOTHING: Grant = { rights: [] };

/** @throws HttpError 422 for projects without the right `trace`. */
function checkProjects({ rights, projects }: Grant): void {
  if (projects === undefined || rights.includes('trace')) return;
  throw invalid(
    ['body', 'projects'],
    "Only the right 'trace' can be limited to projects. Add it, or leave the projects out.",
  );
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
