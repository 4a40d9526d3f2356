import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { StateSchema } from '../storage/state-schema.ts';

/** The condition for keys that are not revoked yet. A key may have a time in the future at which it will be. */
export function stillGood(eb: ExpressionBuilder<StateSchema, 'api_keys'>): Expression<SqlBool> {
  return eb.or([
    eb('api_keys.revoked_at', 'is', null),
    eb('api_keys.revoked_at', '>', new Date().toISOString()),
  ]);
}

/** Whether a key has ended. */
export function hasEnded({ revoked_at }: { readonly revoked_at: string | null }): boolean {
  return revoked_at !== null && Date.parse(revoked_at) <= Date.now();
}
