import { z } from 'zod';
import { system } from './agent-server/system.ts';
import { endpoint } from './endpoint.ts';

/** The platform address's description of itself. */
export const platform = {
  ok: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/ok',
    summary: 'Health check',
    credentials: 'none',
    responses: { 200: z.looseObject({ ok: z.boolean() }) },
  }),
  ready: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/ready',
    summary:
      'Check whether to send requests here: 503 while it starts, storage is unreachable, or the server is about to end',
    credentials: 'none',
    responses: {
      200: z.looseObject({
        ready: z.boolean(),
        /** Whether traces are read from the team's replica, and if not, why. */
        replica: z.enum(['used', 'behind', 'away', 'unrelated']).optional(),
      }),
    },
  }),
  metrics: endpoint({
    kind: 'raw',
    method: 'GET',
    path: '/metrics',
    hasOneSpelling: true,
    summary: "Get metrics of all deployments of the key's workspaces on this server, for Prometheus",
    credentials: 'api-key-alone',
    right: 'read',
    contentType: system.metrics.contentType,
  }),
  openapi: system.openapi,
  docs: system.docs,
  status: endpoint({
    kind: 'raw',
    method: 'GET',
    path: '/o/{organization_id}/host/deployments/{deployment_id}',
    summary: 'Show where to find the status of a deployment; public command lines print this URL',
    credentials: 'none',
    params: z.object({ organization_id: z.string(), deployment_id: z.string() }),
    contentType: 'text/html',
  }),
};
