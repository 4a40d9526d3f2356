import type { pushWebhooks as webhookEndpoints } from '../../../contract/control-plane/webhooks.ts';
import { readText } from '../../http/body.ts';
import type { Handlers } from '../../http/router.ts';
import type { Pushes } from '../deployments/pushes.ts';

const MAX_BYTES = 25 * 1_048_576;

/**
 * The push webhook of code hosts, at most 25 MiB, authenticated by its signature: 403 without it, 422 for
 * other events.
 */
export function pushHandlers(pushes: Pushes): Handlers<typeof webhookEndpoints> {
  return {
    get: ({ caller, params }) => pushes.getWebhook(caller, params.deployment_id),
    receive: async ({ params, headers, request }, response) => {
      const body = await readText(request, MAX_BYTES);
      const event = headerOf(headers['x-github-event'] ?? headers['x-gitea-event']);
      const signature = headerOf(headers['x-hub-signature-256']);
      response.end(JSON.stringify(await pushes.receive(params.deployment_id, { event, signature }, body)));
    },
  };
}

function headerOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
