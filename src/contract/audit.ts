import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { JsonObject } from './fields.ts';

/** Agent Harbor only: an action by somebody who may manage keys, deployments, secrets or retention. */
export const AuditEvent = z.looseObject({
  id: z.string(),
  at: z.string(),
  /** `api-key:<id>`, or `server` for actions that the server's own start options cause. */
  actor: z.string(),
  /** The name that the key had at that time. */
  actor_name: z.string().nullable(),
  /** The action's name, such as `deployment.pause`. */
  action: z.string(),
  /** The IDs and names of what the action changed; never values of secrets. */
  subject: JsonObject,
  /** The status of the response; null while the action is in progress, or if the server ended in the meantime. */
  status: z.int().nullable(),
});
export type AuditEvent = z.output<typeof AuditEvent>;

const Moment = z.iso.datetime({ offset: true });

export const audit = {
  list: endpoint({
    kind: 'raw',
    method: 'GET',
    path: '/harbor/audit',
    summary: 'Get the audit log of the workspace as lines of JSON, oldest first',
    credentials: 'api-key',
    right: 'admin',
    query: z.object({
      since: Moment.optional(),
      until: Moment.optional(),
      action: z.string().max(100).optional(),
      /** How many of the newest events to return; all when absent. */
      limit: z.coerce.number().int().min(1).max(1_000).optional(),
    }),
    contentType: 'application/x-ndjson; charset=utf-8',
  }),
};
