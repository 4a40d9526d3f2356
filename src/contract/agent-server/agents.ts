import { z } from 'zod';
import { endpoint } from '../endpoint.ts';

/**
 * Assistants as tools of the Model Context Protocol (Streamable HTTP;
 * docs/interface/agent-server.md#mcp-and-a2a).
 */
export const mcp = {
  post: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/mcp',
    summary: 'MCP: call assistants as tools',
    credentials: 'deployment',
    right: 'run',
    auth: 'each run',
    body: z.unknown(),
    responses: { 200: z.unknown(), 202: null },
  }),
  delete: endpoint({
    kind: 'json',
    method: 'DELETE',
    path: '/mcp',
    summary: 'MCP: not supported (sessions have no state)',
    credentials: 'deployment',
    right: 'run',
    auth: 'authenticated',
    // It always fails.
    responses: {},
  }),
};

/** Assistants as agents of the Agent2Agent protocol. */
export const a2a = {
  rpc: endpoint({
    kind: 'raw',
    method: 'POST',
    path: '/a2a/{assistant_id}',
    summary: 'A2A: JSON-RPC (SendMessage, GetTask, ListTasks, CancelTask and others)',
    credentials: 'deployment',
    right: 'run',
    auth: 'each run',
    params: z.object({ assistant_id: z.string().min(1) }),
    contentType: 'application/json',
  }),
  card: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/a2a/{assistant_id}/.well-known/agent-card.json',
    summary: 'A2A: get the agent card of an assistant',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'assistants', action: 'read' },
    params: z.object({ assistant_id: z.string().min(1) }),
    responses: { 200: z.looseObject({ name: z.string(), url: z.string() }) },
  }),
  cardByQuery: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/.well-known/agent-card.json',
    summary: 'A2A: get the agent card of an assistant',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'assistants', action: 'read' },
    query: z.object({ assistant_id: z.string().min(1) }),
    responses: { 200: z.looseObject({ name: z.string(), url: z.string() }) },
  }),
};
