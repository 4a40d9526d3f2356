import type { Caller } from '../http/caller.ts';
import { forbidden, HttpError } from '../http/errors.ts';
import { readGrant } from '../http/grant.ts';
import type { StateDatabase } from '../storage/state-database.ts';
import { isActive } from './key-expiry.ts';
import type { ActiveKey } from './key-lookup.ts';
import { hashApiKey, newBearerToken } from './keys.ts';

/** Short-lived tokens that stand in for an API key in one workspace. */
export class BearerTokens {
  readonly #db: StateDatabase;

  constructor(db: StateDatabase) {
    this.#db = db;
  }

  /**
   * Creates a token for the caller's workspace, which is valid until it expires or its key is revoked.
   * @throws HttpError 403 for a caller with a token, because tokens could then be renewed forever.
   */
  async create(caller: Caller, lifetimeMs: number): Promise<{ token: string; expiresAt: string }> {
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

  /**
   * The access of a token.
   * @throws HttpError 401 for a token that is not valid, has expired, or whose key is revoked.
   */
  async require(token: string): Promise<ActiveKey> {
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
      .where(isActive)
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
}
