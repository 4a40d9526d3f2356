import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { JsonObject } from './fields.ts';

/** Ours: an action of somebody who may manage keys, deployments, secrets or retention. */
export const AuditEvent = z.looseObject({
  id: z.string(),
  at: z.string(),
  /** `api-key:<id>`, or `server` for what the machine was started with. */
  actor: z.string(),
  /** The name of the key at that time. */
  actor_name: z.string().nullable(),
  /** Such as `deployment.pause`. */
  action: z.string(),
  /** The IDs and names of what it changed; never values of secrets. */
  subject: JsonObject,
  /** The status of the answer; null while it is under way, and when the server ended meanwhile. */
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
      /** How many of the newest to return; all when it is left out. */
      limit: z.coerce.number().int().min(1).max(1_000).optional(),
    }),
    contentType: 'application/x-ndjson; charset=utf-8',
  }),
};
