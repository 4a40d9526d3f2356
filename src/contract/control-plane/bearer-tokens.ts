import { z } from 'zod';
import { endpoint } from '../endpoint.ts';

/**
 * Agent Harbor only: tokens for programs that should not have the key, each valid for one workspace and a short time.
 * The public interface names bearer credentials but does not say how they are issued
 * (docs/interface/control-plane.md#addresses-and-credentials).
 */
export const bearerTokens = {
  create: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/harbor/tokens',
    summary: 'Exchange an API key for a short-lived bearer token',
    credentials: 'api-key',
    right: 'any',
    body: z.object({ expires_in_seconds: z.int().min(1).max(3_600).default(900) }),
    responses: {
      201: z.looseObject({
        access_token: z.string(),
        token_type: z.literal('bearer'),
        expires_at: z.string(),
      }),
    },
  }),
};
