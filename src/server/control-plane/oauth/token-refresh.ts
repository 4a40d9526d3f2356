import { HttpError } from '../../http/errors.ts';
import type { StateDatabase } from '../../storage/state-database.ts';
import { GrantRefusedError, type OAuthClient } from './oauth-client.ts';
import type { ProviderRow } from './provider-store.ts';
import type { TokenRow, TokenStore } from './token-store.ts';

/** Tokens that expire sooner than this are refreshed before they are returned. */
const TOO_SOON_MS = 60_000;
/** How long to wait for another server to refresh a token; longer than the timeout for a provider. */
const WAIT_MS = 30_000;

/** Returns valid tokens. Refreshes a token that is about to expire, once even if several requests need it. */
export class TokenRefresh {
  readonly #tokens: TokenStore;
  readonly #client: OAuthClient;
  readonly #db: StateDatabase;
  readonly #waitMs: number;
  readonly #refreshing = new Map<string, Promise<TokenRow | undefined>>();

  constructor(tokens: TokenStore, client: OAuthClient, db: StateDatabase, { waitMs = WAIT_MS } = {}) {
    this.#tokens = tokens;
    this.#client = client;
    this.#db = db;
    this.#waitMs = waitMs;
  }

  /**
   * Returns a token that is still valid, for at least a minute if it can be refreshed.
   * @returns undefined when it has expired and cannot be refreshed, or was deleted.
   * @throws ProviderUnavailableError; HttpError 502 for an unexpected response; 503 when another server takes too long to
   * refresh it
   */
  async get(provider: ProviderRow, row: TokenRow): Promise<TokenRow | undefined> {
    if (isFresh(row)) return row;
    // A refresh token may be valid only once, so a second refresh at the same time could end the user's consent.
    const refreshing = this.#refreshing.get(row.id) ?? this.#refreshInTurn(provider, row);
    this.#refreshing.set(row.id, refreshing);
    return refreshing.finally(() => this.#refreshing.delete(row.id));
  }

  /** Whether the provider has to be asked for a token that is returned. */
  needsProvider(row: TokenRow): boolean {
    return !isFresh(row) && this.#tokens.values(row).refreshToken !== undefined;
  }

  /** Refreshes a token while no other server does. */
  async #refreshInTurn(provider: ProviderRow, row: TokenRow): Promise<TokenRow | undefined> {
    const duty = `oauth-token:${row.id}`;
    try {
      await this.#waitFor(duty);
      return await this.#refresh(provider, row);
    } finally {
      // The duty is also released after an error, because an attempt that failed may still have taken it. If
      // the release fails, the duty passes to other servers when this one stops.
      await this.#db.outlasting(() => this.#db.duties.release(duty)).catch(() => {});
    }
  }

  async #waitFor(duty: string): Promise<void> {
    const limit = AbortSignal.timeout(this.#waitMs);
    try {
      await this.#db.duties.takeWhenFree(duty, limit);
    } catch (error) {
      if (error !== limit.reason) throw error;
      throw new HttpError(503, 'Another server is refreshing this token. Try again.', { 'retry-after': '1' });
    }
  }

  async #refresh(provider: ProviderRow, seen: TokenRow): Promise<TokenRow | undefined> {
    // The token may have been refreshed or deleted since it was read.
    const row = await this.#tokens.find(seen.workspace_id, seen.id);
    if (row === undefined) return undefined;
    if (isFresh(row)) return row;
    const leftMs = timeLeftMs(row);
    const { refreshToken } = this.#tokens.values(row);
    if (refreshToken === undefined) return leftMs > 0 ? row : undefined;
    try {
      return await this.#tokens.renew(row, await this.#client.refresh(provider, refreshToken));
    } catch (error) {
      if (!(error instanceof GrantRefusedError)) throw error;
      return timeLeftMs(row) > 0 ? row : undefined;
    }
  }
}

/** Whether a token is returned without being refreshed. */
function isFresh(row: TokenRow): boolean {
  return timeLeftMs(row) > TOO_SOON_MS;
}

function timeLeftMs({ expires_at }: TokenRow): number {
  return expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at) - Date.now();
}
