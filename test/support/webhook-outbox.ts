import { WebhookOutbox } from '../../src/server/agent-server/webhooks/webhook-outbox.ts';
import { LogBook } from '../../src/server/runtimes/output/log-book.ts';
import type { WebhooksConfig } from '../../src/server/runtimes/project/project-config.ts';
import type { StateDatabase } from '../../src/server/storage/state-database.ts';
import { DEPLOYMENT, PAST } from './deployment-database.ts';

/** Delivers the webhooks of a deployment that configures only `webhooks.url`. */
export function webhookOutbox(
  db: StateDatabase,
  { rules = {}, ...options }: { log?: LogBook; retryMs?: number; rules?: WebhooksConfig['url'] } = {},
): WebhookOutbox {
  return new WebhookOutbox({
    db,
    deploymentId: DEPLOYMENT,
    log: new LogBook(),
    settings: () => ({ config: { env_prefix: '', headers: {}, url: rules }, disabled: false, env: {} }),
    own: () => undefined,
    ownPorts: () => new Set(),
    ...options,
  });
}

/** The stored row of a webhook that is due. */
export function webhookRow(url: string) {
  return {
    webhook_id: crypto.randomUUID(),
    deployment_id: DEPLOYMENT,
    run_id: crypto.randomUUID(),
    url,
    body: '{"kwargs":{}}',
    attempts: 0,
    next_attempt_at: PAST,
    created_at: PAST,
  };
}
