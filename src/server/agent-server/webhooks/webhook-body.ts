import { z } from 'zod';
import { JsonObject } from '../../../contract/fields.ts';
import type { LiveRun, RunOutcome } from '../runs/live-run.ts';
import type { Initiator } from '../runtime/in-process-calls.ts';

/** Stands in a stored body for the time of sending. */
const SENT_AT = '$sent_at';

/**
 * The body of a webhook: the run's fields, its times, and its values or its error
 * (docs/interface/agent-server.md#runs).
 */
export function webhookBody(run: LiveRun, outcome: RunOutcome, endedAt: string): string {
  const { identity } = run;
  const head = {
    webhook_sent_at: SENT_AT,
    run_id: identity.runId,
    thread_id: identity.threadId,
    assistant_id: identity.assistantId,
    status: outcome.status,
    metadata: identity.metadata,
    kwargs: identity.kwargs,
    multitask_strategy: identity.multitaskStrategy,
    created_at: run.acceptedAt,
    updated_at: endedAt,
    run_started_at: run.startedAt ?? null,
    run_ended_at: endedAt,
    ...(outcome.error === undefined ? {} : { error: outcome.error }),
  };
  return `${JSON.stringify(head).slice(0, -1)},"values":${outcome.values ?? 'null'}}`;
}

/** A stored body with the current time as the time of sending, which is its first field. */
export function withSendingTime(body: string): string {
  return body.replace(JSON.stringify(SENT_AT), JSON.stringify(new Date().toISOString()));
}

const WebhookBody = z.object({
  kwargs: z
    .object({ config: z.object({ configurable: JsonObject.optional() }).optional() })
    .transform(({ config }) => config?.configurable ?? {}),
});

/** The user of the run, on whose behalf a webhook to this server is called. */
export function initiatorOf(body: string): Initiator {
  const { kwargs: configurable } = WebhookBody.parse(JSON.parse(body));
  const { langgraph_auth_user_id: identity, langgraph_auth_user, langgraph_auth_permissions } = configurable;
  if (typeof identity !== 'string') return {};
  const permissions = Array.isArray(langgraph_auth_permissions) ? langgraph_auth_permissions.map(String) : [];
  return { user: { identity, permissions, fields: JsonObject.safeParse(langgraph_auth_user).data ?? {} } };
}
