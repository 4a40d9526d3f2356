import { z } from 'zod';
import { endpoint } from './endpoint.ts';

/** Tools for coding agents over the Model Context Protocol (Streamable HTTP, stateless). */
export const codingAgents = {
  mcp: endpoint({
    kind: 'raw',
    method: 'POST',
    path: '/harbor/mcp',
    summary: 'MCP for coding agents: read traces; with the right to run, also threads and graphs',
    credentials: 'api-key',
    right: 'read',
    query: z.object({
      /** Name or ID of the deployment to use threads and graphs from; not needed if only one is served. */
      deployment: z.string().min(1).optional(),
    }),
    body: z.unknown(),
    contentType: 'application/json',
  }),
};
