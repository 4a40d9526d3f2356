import type { Selectable } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type {
  OAuthProvider,
  OAuthProviderCreate,
  OAuthProviderUpdate,
} from '../../../contract/control-plane/oauth-providers.ts';
import type { Caller } from '../../http/caller.ts';
import { conflict, forbidden, HttpError } from '../../http/errors.ts';
import type { OAuthProviderTable } from '../../storage/control-plane-schema.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import { associatedData } from '../secrets/associated-data.ts';
import type { SecretBox } from '../secrets/secret-box.ts';

export type ProviderRow = Selectable<OAuthProviderTable>;

/** The additional fields of a provider that was discovered from an MCP server. */
interface Discovered {
  readonly mcpServerUrl: string;
}

/** OAuth providers of an organization; their client secrets are encrypted at rest. */
export class ProviderStore {
  readonly #db: StateDatabase;
  readonly #box: SecretBox;

  constructor(db: StateDatabase, box: SecretBox) {
    this.#db = db;
    this.#box = box;
  }

  async list(organizationId: string): Promise<OAuthProvider[]> {
    const rows = await this.#db
      .selectFrom('oauth_providers')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows.map(toProvider);
  }

  /** Stores a provider. @throws HttpError 409 for an existing `provider_id`. */
  async create(
    { organizationId, workspaceId }: Caller,
    given: OAuthProviderCreate,
    discovered?: Discovered,
  ): Promise<OAuthProvider> {
    const id = uuidv7();
    const now = new Date().toISOString();
    const row: ProviderRow = {
      id,
      organization_id: organizationId,
      provider_id: given.provider_id,
      name: given.name,
      client_id: given.client_id,
      sealed_client_secret: this.#seal(id, given.client_secret),
      auth_url: given.auth_url,
      token_url: given.token_url,
      uses_pkce: given.uses_pkce ? 1 : 0,
      code_challenge_method: given.code_challenge_method,
      provider_type: given.provider_type ?? null,
      mcp_server_url: discovered?.mcpServerUrl ?? null,
      token_endpoint_auth_method: given.token_endpoint_auth_method,
      is_dynamic_client: discovered === undefined ? 0 : 1,
      workspace_id: workspaceId,
      created_at: now,
      updated_at: now,
    };
    const { numInsertedOrUpdatedRows } = await this.#db
      .insertInto('oauth_providers')
      .values(row)
      .onConflict((on) => on.columns(['organization_id', 'provider_id']).doNothing())
      .executeTakeFirst();
    if (numInsertedOrUpdatedRows === 0n) {
      throw conflict(`OAuth provider '${given.provider_id}' already exists.`);
    }
    return toProvider(row);
  }

  /** @throws HttpError 404 */
  async get(organizationId: string, providerId: string): Promise<OAuthProvider> {
    return toProvider(await this.require(organizationId, providerId));
  }

  /**
   * Changes a provider; null and absent fields change nothing.
   * @throws HttpError 404; 403 for a provider of another workspace.
   */
  async update(caller: Caller, providerId: string, given: OAuthProviderUpdate): Promise<OAuthProvider> {
    const row = await this.#requireOwn(caller, providerId);
    await this.#db
      .updateTable('oauth_providers')
      // Only the given fields, so that a concurrent change of others is not overwritten.
      .set({
        name: given.name ?? undefined,
        client_id: given.client_id ?? undefined,
        sealed_client_secret:
          given.client_secret == null ? undefined : this.#seal(row.id, given.client_secret),
        auth_url: given.auth_url ?? undefined,
        token_url: given.token_url ?? undefined,
        uses_pkce: given.uses_pkce == null ? undefined : Number(given.uses_pkce),
        code_challenge_method: given.code_challenge_method ?? undefined,
        updated_at: new Date().toISOString(),
      })
      .where('id', '=', row.id)
      .execute();
    return this.get(caller.organizationId, providerId);
  }

  /**
   * Deletes a provider with its tokens and pending sign-ins.
   * @throws HttpError 404; 403 for a provider of another workspace.
   */
  async delete(caller: Caller, providerId: string): Promise<void> {
    const { id } = await this.#requireOwn(caller, providerId);
    await this.#db.deleteFrom('oauth_providers').where('id', '=', id).execute();
  }

  /** Finds a provider by its `provider_id`, or by the id of its record. @throws HttpError 404 */
  async require(organizationId: string, providerId: string): Promise<ProviderRow> {
    const row = await this.#db
      .selectFrom('oauth_providers')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .where((on) => on.or([on('provider_id', '=', providerId), on('id', '=', providerId)]))
      .executeTakeFirst();
    if (row === undefined) throw new HttpError(404, `OAuth provider '${providerId}' not found.`);
    return row;
  }

  /**
   * Requires that the provider belongs to the caller's workspace, because changing its URLs would expose the
   * credentials of all workspaces that use it.
   */
  async #requireOwn(caller: Caller, providerId: string): Promise<ProviderRow> {
    const row = await this.require(caller.organizationId, providerId);
    if (row.workspace_id !== caller.workspaceId && caller.isOwner !== true) {
      throw forbidden(
        `OAuth provider '${providerId}' belongs to another workspace. Use a key of that workspace, or this machine's own key.`,
      );
    }
    return row;
  }

  /** The client secret of a provider; undefined if it has none. @throws SecretBoxError */
  clientSecret({ id, sealed_client_secret: sealed }: ProviderRow): string | undefined {
    return sealed === null ? undefined : this.#box.open(sealed, associatedData.oauthClient(id));
  }

  #seal(id: string, secret: string | null | undefined): Uint8Array | null {
    return secret == null || secret === '' ? null : this.#box.seal(secret, associatedData.oauthClient(id));
  }
}

function toProvider({ sealed_client_secret: _, workspace_id: __, ...row }: ProviderRow): OAuthProvider {
  return { ...row, uses_pkce: row.uses_pkce === 1, is_dynamic_client: row.is_dynamic_client === 1 };
}
