import type { bearerTokens } from '../../../contract/control-plane/bearer-tokens.ts';
import type { Handlers } from '../../http/router.ts';
import type { Identity } from '../../identity/identity.ts';

/**
 * Exchanges the caller's key for a short-lived token with the same rights (docs/interface/control-plane.md).
 */
export function bearerTokenHandlers(identity: Identity): Handlers<typeof bearerTokens> {
  return {
    create: async ({ caller, body }) => {
      const made = await identity.bearerTokens.create(caller, body.expires_in_seconds * 1_000);
      return { access_token: made.token, token_type: 'bearer', expires_at: made.expiresAt };
    },
  };
}
