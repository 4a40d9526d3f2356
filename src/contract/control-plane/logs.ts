import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { LogLevel, SortOrder, Timestamp, Uuid } from '../fields.ts';

export const LogQuery = z.object({
  limit: z.int().min(1).max(1000).default(50),
  order: SortOrder.default('desc'),
  /** `next_offset` from an earlier response. */
  offset: z.string().nullish(),
  level: LogLevel.nullish(),
  /** Text that the message contains, whatever its case. */
  query: z.string().nullish(),
  start_time: Timestamp.nullish(),
  end_time: Timestamp.nullish(),
});
export type LogQuery = z.output<typeof LogQuery>;

export const LogEntry = z.looseObject({
  id: z.string(),
  /** Milliseconds since 1970, or ISO 8601. */
  timestamp: z.union([z.number(), z.string()]),
  level: z.string().optional(),
  message: z.string(),
});
export type LogEntry = z.output<typeof LogEntry>;

export const LogPage = z.looseObject({ logs: z.array(LogEntry), next_offset: z.string().nullish() });
export type LogPage = z.output<typeof LogPage>;

const ofRevision = z.object({ deployment_id: Uuid, revision_id: Uuid });

/**
 * Logs of builds and of running deployments, as public clients read and follow them
 * (docs/interface/control-plane.md#logs).
 */
export const logs = {
  build: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/v1/projects/{deployment_id}/revisions/{revision_id}/build_logs',
    summary: 'Get the build log of a revision',
    credentials: 'api-key',
    right: 'read',
    params: ofRevision,
    body: LogQuery,
    responses: { 200: LogPage },
  }),
  deployOfRevision: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/v1/projects/{deployment_id}/revisions/{revision_id}/deploy_logs',
    summary: 'Get the log of a revision',
    credentials: 'api-key',
    right: 'read',
    params: ofRevision,
    body: LogQuery,
    responses: { 200: LogPage },
  }),
  deploy: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/v1/projects/{deployment_id}/deploy_logs',
    summary: 'Get the log of a deployment',
    credentials: 'api-key',
    right: 'read',
    params: z.object({ deployment_id: Uuid }),
    body: LogQuery,
    responses: { 200: LogPage },
  }),
};
