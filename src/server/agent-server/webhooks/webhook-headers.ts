import { isWebhookVariable, WEBHOOK_VARIABLE } from '../../../project/webhook-variables.ts';
import type { WebhooksConfig } from '../../runtimes/project/project-config.ts';
import { refusal } from './webhook-refused.ts';

/**
 * The headers of `webhooks.headers`, with `${{ env.NAME }}` filled in from the project's environment.
 * @throws WebhookRefusedError for a name without the prefix, or one that is not set.
 */
export function webhookHeaders(
  config: WebhooksConfig,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(config.headers).map(([header, template]) => [
      header,
      template.replace(WEBHOOK_VARIABLE, (_, name: string) => {
        if (!isWebhookVariable(name, config.env_prefix)) {
          throw refusal(`webhooks.headers may only use variables that start with ${config.env_prefix}`);
        }
        const value = env[name];
        if (value === undefined) throw refusal(`webhooks.headers uses ${name}, which is not set`);
        return value;
      }),
    ]),
  );
}
