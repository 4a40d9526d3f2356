import type { Kysely, Selectable } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import type { OAuthTokenSummary, OAuthTokenUpdate } from '../../../contract/control-plane/oauth-tokens.ts';
import { HttpError } from '../../http/errors.ts';
import type { OAuthTokenTable } from '../../storage/control-plane-schema.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import type { StateSchema } from '../../storage/state-schema.ts';
import { associatedData } from '../secrets/associated-data.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { Grant } from './oauth-client.ts';

export type TokenRow = Selectable<OAuthTokenTable>;

const Sealed = z.object({ access_token: z.string(), refresh_token: z.string().optional() });
const Scopes = z.array(z.string());

/** The user whose token is stored, and the provider that issued it. */
export interface TokenOwner {
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly userId: string;
  readonly providerId: string;
}

/** Stores the tokens of users at providers, encrypted. */
export class TokenStore {
  readonly #db: StateDatabase;
  readonly #box: SecretBox;

  constructor(db: StateDatabase, box: SecretBox) {
    this.#db = db;
    this.#box = box;
  }

  /** A user's tokens, the default one first. */
  list(workspaceId: string, userId: string, providerId: string | undefined): Promise<TokenRow[]> {
    let query = this.#db
      .selectFrom('oauth_tokens')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .where('user_id', '=', userId);
    if (providerId !== undefined) query = query.where('provider_id', '=', providerId);
    return query.orderBy('is_default', 'desc').orderBy('created_at', 'desc').orderBy('id', 'desc').execute();
  }

  find(workspaceId: string, id: string): Promise<TokenRow | undefined> {
    return this.#db
      .selectFrom('oauth_tokens')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .executeTakeFirst();
  }

  /** @throws HttpError 404 */
  async require(workspaceId: string, id: string): Promise<TokenRow> {
    const row = await this.find(workspaceId, id);
    if (row === undefined) throw new HttpError(404, `OAuth token ID ${id} not found.`);
    return row;
  }

  /**
   * Stores a token.
   * @param asked.scopes the requested scopes, for a provider that does not return the granted ones.
   * @param asked.isDefault whether the token replaces the user's default token.
   */
  async insert(
    owner: TokenOwner,
    grant: Grant,
    asked: { readonly scopes: readonly string[]; readonly isDefault: boolean },
  ): Promise<TokenRow> {
    const { scopes, isDefault } = asked;
    const id = uuidv7();
    const now = new Date().toISOString();
    const row: TokenRow = {
      id,
      organization_id: owner.organizationId,
      workspace_id: owner.workspaceId,
      provider_id: owner.providerId,
      user_id: owner.userId,
      provider_account_label: grant.label ?? null,
      scopes: JSON.stringify(grant.scopes ?? scopes),
      sealed: this.#seal(id, grant, undefined),
      expires_at: grant.expiresAt,
      is_default: isDefault ? 1 : 0,
      created_at: now,
      updated_at: now,
    };
    await this.#db.transaction().execute(async (transaction) => {
      if (isDefault) await unsetDefault(transaction, row);
      await transaction.insertInto('oauth_tokens').values(row).execute();
    });
    return row;
  }

  /**
   * Replaces a token with its refreshed version. Retries as long as the database cannot be reached, because most providers
   * accept a refresh token only once. If the provider returned no new refresh token, the old one is kept.
   * @returns the stored token, from another server if that was faster; undefined if it was deleted.
   */
  async renew(row: TokenRow, grant: Grant): Promise<TokenRow | undefined> {
    const before = this.values(row);
    const changed = {
      sealed: this.#seal(row.id, grant, before.refreshToken),
      expires_at: grant.expiresAt,
      updated_at: new Date().toISOString(),
      ...(grant.scopes === undefined ? {} : { scopes: JSON.stringify(grant.scopes) }),
    };
    return this.#db.outlasting(async () => {
      const { numUpdatedRows } = await this.#db
        .updateTable('oauth_tokens')
        .set(changed)
        .where('id', '=', row.id)
        .where('sealed', '=', row.sealed)
        .executeTakeFirst();
      return numUpdatedRows > 0n ? { ...row, ...changed } : this.find(row.workspace_id, row.id);
    });
  }

  /** Changes the label of a token, or makes it the user's default. @throws HttpError 404 */
  async update(workspaceId: string, id: string, given: OAuthTokenUpdate): Promise<TokenRow> {
    const row = await this.require(workspaceId, id);
    // Only the given fields, so that a concurrent change of others is not overwritten.
    const changed = {
      provider_account_label: given.provider_account_label ?? undefined,
      is_default: given.is_default == null ? undefined : Number(given.is_default),
      updated_at: new Date().toISOString(),
    };
    await this.#db.transaction().execute(async (transaction) => {
      if (given.is_default === true) await unsetDefault(transaction, row);
      await transaction.updateTable('oauth_tokens').set(changed).where('id', '=', id).execute();
    });
    return this.require(workspaceId, id);
  }

  /** @throws HttpError 404 */
  async delete(workspaceId: string, id: string): Promise<void> {
    await this.require(workspaceId, id);
    await this.#db.deleteFrom('oauth_tokens').where('id', '=', id).execute();
  }

  /** Deletes a user's tokens at a provider. @returns how many were deleted. */
  async deleteForUser(workspaceId: string, userId: string, providerId: string): Promise<number> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('oauth_tokens')
      .where('workspace_id', '=', workspaceId)
      .where('user_id', '=', userId)
      .where('provider_id', '=', providerId)
      .executeTakeFirst();
    return Number(numDeletedRows);
  }

  /** The IDs of all tokens of a workspace at providers of a type, such as `slack`. */
  async listIdsOfType(workspaceId: string, type: string): Promise<string[]> {
    const rows = await this.#db
      .selectFrom('oauth_tokens')
      .innerJoin('oauth_providers', (join) =>
        join
          .onRef('oauth_providers.organization_id', '=', 'oauth_tokens.organization_id')
          .onRef('oauth_providers.provider_id', '=', 'oauth_tokens.provider_id'),
      )
      .select('oauth_tokens.id')
      .where('oauth_tokens.workspace_id', '=', workspaceId)
      .where('oauth_providers.provider_type', '=', type)
      .execute();
    return rows.map(({ id }) => id);
  }

  /** Decrypts a token. @throws SecretBoxError */
  values(row: TokenRow): { accessToken: string; refreshToken: string | undefined } {
    const { access_token, refresh_token } = Sealed.parse(
      JSON.parse(this.#box.open(row.sealed, associatedData.oauthToken(row.id))),
    );
    return { accessToken: access_token, refreshToken: refresh_token };
  }

  #seal(id: string, grant: Grant, refreshToken: string | undefined): Uint8Array {
    const kept = grant.refreshToken ?? refreshToken;
    const values = {
      access_token: grant.accessToken,
      ...(kept === undefined ? {} : { refresh_token: kept }),
    };
    return this.#box.seal(JSON.stringify(values), associatedData.oauthToken(id));
  }
}

/**
 * Makes none of a user's tokens at a provider the default.
 * @param token a token of the user at the provider.
 */
async function unsetDefault(
  db: Kysely<StateSchema>,
  token: Pick<TokenRow, 'workspace_id' | 'user_id' | 'provider_id'>,
): Promise<void> {
  await db
    .updateTable('oauth_tokens')
    .set({ is_default: 0 })
    .where('workspace_id', '=', token.workspace_id)
    .where('user_id', '=', token.user_id)
    .where('provider_id', '=', token.provider_id)
    .execute();
}

export function scopesOf(row: TokenRow): string[] {
  return Scopes.parse(JSON.parse(row.scopes));
}

export function toTokenSummary(row: TokenRow): OAuthTokenSummary {
  return {
    id: row.id,
    provider_id: row.provider_id,
    provider_account_label: row.provider_account_label,
    scopes: scopesOf(row),
    expires_at: row.expires_at,
    is_default: row.is_default === 1,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
