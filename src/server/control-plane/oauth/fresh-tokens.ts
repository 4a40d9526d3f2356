import type { Duties } from '../../storage/duties.ts';
import { GrantRefusedError, type OAuthClient } from './oauth-client.ts';
import type { ProviderRow } from './provider-store.ts';
import type { TokenRow, TokenStore } from './token-store.ts';

/** Tokens that expire sooner are refreshed first, so that they can still be used. */
const TOO_SOON_MS = 60_000;

/** Returns valid access tokens, refreshing expired ones, each only once at a time. */
export class FreshTokens {
  readonly #tokens: TokenStore;
  readonly #client: OAuthClient;
  readonly #duties: Duties;
  readonly #refreshing = new Map<string, Promise<string | undefined>>();

  constructor(tokens: TokenStore, client: OAuthClient, duties: Duties) {
    this.#tokens = tokens;
    this.#client = client;
    this.#duties = duties;
  }

  /**
   * @returns `undefined` when it has expired and cannot be refreshed.
   * @throws HttpError 502 when the provider cannot be asked.
   */
  async get(provider: ProviderRow, row: TokenRow): Promise<string | undefined> {
    if (row.expires_at === null || Date.parse(row.expires_at) - Date.now() > TOO_SOON_MS) {
      return this.#tokens.values(row).accessToken;
    }
    // Refresh tokens may be valid once, so concurrent refreshes would require a new consent.
    const refreshing = this.#refreshing.get(row.id) ?? this.#refreshInTurn(provider, row);
    this.#refreshing.set(row.id, refreshing);
    return refreshing.finally(() => this.#refreshing.delete(row.id));
  }

  /** Other servers may refresh it too. */
  async #refreshInTurn(provider: ProviderRow, row: TokenRow): Promise<string | undefined> {
    const duty = `oauth-token:${row.id}`;
    await this.#duties.wait(duty);
    return this.#refresh(provider, row).finally(() => this.#duties.release(duty));
  }

  async #refresh(provider: ProviderRow, seen: TokenRow): Promise<string | undefined> {
    // It may have been refreshed, or deleted, since it was read.
    const row = await this.#tokens.find(seen.workspace_id, seen.id);
    if (row === undefined) return undefined;
    const { accessToken, refreshToken } = this.#tokens.values(row);
    const left = Date.parse(row.expires_at ?? '') - Date.now();
    if (left > TOO_SOON_MS) return accessToken;
    if (refreshToken === undefined) return left > 0 ? accessToken : undefined;
    try {
      const grant = await this.#client.refresh(provider, refreshToken);
      return this.#tokens.values(await this.#tokens.renew(row, grant)).accessToken;
    } catch (error) {
      if (error instanceof GrantRefusedError) return undefined;
      throw error;
    }
  }
}
