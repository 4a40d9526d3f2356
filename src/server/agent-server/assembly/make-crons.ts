import type { AgentServerOptions } from '../agent-server-options.ts';
import type { Assistants } from '../assistants/assistants.ts';
import type { UsableAssistants } from '../assistants/usable-assistants.ts';
import { CronClock } from '../crons/cron-clock.ts';
import { Crons } from '../crons/crons.ts';
import type { RunRequests } from '../requests/run-requests.ts';
import type { Threads } from '../threads/threads.ts';
import type { WebhookOutbox } from '../webhooks/webhook-outbox.ts';
import type { Stores } from './make-stores.ts';

/** The parts that run the crons of a deployment. */
export interface CronParts {
  readonly clock: CronClock;
  readonly crons: Crons;
}

export function makeCrons(
  { log }: AgentServerOptions,
  parts: {
    stores: Stores;
    assistants: Assistants;
    usable: UsableAssistants;
    threads: Threads;
    requests: RunRequests;
    webhooks: WebhookOutbox;
  },
): CronParts {
  const { stores, assistants, usable, threads, requests, webhooks } = parts;
  const clock = new CronClock({ store: stores.crons, requests, log });
  const crons = new Crons({
    store: stores.crons,
    assistants,
    usable,
    threads,
    checkWebhook: (url) => webhooks.check(url),
    onChange: () => clock.wake(),
  });
  return { clock, crons };
}
