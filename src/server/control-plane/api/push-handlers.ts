import type { pushWebhooks as webhookEndpoints } from '../../../contract/control-plane/push-webhooks.ts';
import { readText } from '../../http/body.ts';
import type { Handlers } from '../../http/router.ts';
import type { Pushes } from '../deployments/pushes.ts';

/** GitHub sends at most 25 MB. */
const MAX_BODY_BYTES = 25 * 1_048_576;

/**
 * The webhook that a code host calls after a push. Its signature authenticates the call: 403 without a valid one, 422
 * for a body that is not a push event.
 */
export function pushHandlers(pushes: Pushes): Handlers<typeof webhookEndpoints> {
  return {
    get: ({ caller, params }) => pushes.getWebhook(caller, params.deployment_id),
    receive: async ({ params, headers, request }, response) => {
      const body = await readText(request, MAX_BODY_BYTES);
      const event = firstOf(headers['x-github-event'] ?? headers['x-gitea-event']);
      const signature = firstOf(headers['x-hub-signature-256']);
      response.end(JSON.stringify(await pushes.receive(params.deployment_id, { event, signature }, body)));
    },
  };
}

/** The first value of a header. */
function firstOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
