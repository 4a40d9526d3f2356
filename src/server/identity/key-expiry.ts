import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { settled } from '../../process/settled.ts';
import type { StateDatabase } from '../storage/state-database.ts';
import type { StateSchema } from '../storage/state-schema.ts';

/**
 * The longest wait, because timers cannot wait for months. The callback is then early, and schedules again.
 */
const MAX_WAIT_MS = 86_400_000;

/** The condition for keys that are not revoked yet. The time of a revocation may be in the future. */
export function isActive(eb: ExpressionBuilder<StateSchema, 'api_keys'>): Expression<SqlBool> {
  return eb.or([
    eb('api_keys.revoked_at', 'is', null),
    eb('api_keys.revoked_at', '>', new Date().toISOString()),
  ]);
}

/** Whether the revocation of a key has taken effect. */
export function isRevoked({ revoked_at }: { readonly revoked_at: string | null }): boolean {
  return revoked_at !== null && Date.parse(revoked_at) <= Date.now();
}

/**
 * Waits for the next key to expire, and calls back. A rotated key expires when its revocation takes effect.
 */
export class KeyExpiry {
  readonly #db: StateDatabase;
  readonly #onExpired: () => Promise<unknown>;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** @param onExpired must call `schedule` again, for the key that expires next. */
  constructor(db: StateDatabase, onExpired: () => Promise<unknown>) {
    this.#db = db;
    this.#onExpired = onExpired;
  }

  /** Waits for the next key to expire. Must be called again when keys have changed. */
  async schedule(): Promise<void> {
    clearTimeout(this.#timer);
    const next = await this.#db
      .selectFrom('api_keys')
      .select('revoked_at')
      .where('revoked_at', '>', new Date().toISOString())
      .orderBy('revoked_at')
      .executeTakeFirst();
    if (next?.revoked_at == null || this.#isClosed) return;
    const ms = Math.min(Date.parse(next.revoked_at) - Date.now() + 1, MAX_WAIT_MS);
    clearTimeout(this.#timer);
    // If this fails, it is repeated with the next change of keys.
    this.#timer = setTimeout(() => void settled(this.#onExpired()), ms).unref();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }
}
