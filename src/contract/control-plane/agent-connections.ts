import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { Uuid } from '../fields.ts';

/** A connection of an agent to a token that it may use. */
export const AgentConnection = z.looseObject({
  id: z.string(),
  agent_id: z.string(),
  oauth_token_id: z.string(),
  provider_id: z.string(),
  provider_account_label: z.string().nullable(),
  scopes: z.array(z.string()),
  expires_at: z.string().nullable(),
  created_by: z.string(),
  created_at: z.string(),
});
export type AgentConnection = z.output<typeof AgentConnection>;

const agent = z.object({ agent_id: z.string().min(1) });

/** Connections of agents to the tokens that they may use. */
export const agentConnections = {
  list: endpoint({
    kind: 'json',
    method: 'GET',
    path: '/v2/auth/agents/{agent_id}/connections',
    summary: 'List the connections of an agent',
    credentials: 'api-key',
    right: 'read',
    params: agent,
    responses: { 200: z.looseObject({ data: z.array(AgentConnection) }) },
  }),
  create: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/v2/auth/agents/{agent_id}/connections',
    summary: 'Connect an agent to a token',
    credentials: 'api-key',
    right: 'write',
    params: agent,
    body: z.object({ oauth_token_id: Uuid }),
    responses: { 201: AgentConnection },
  }),
  delete: endpoint({
    kind: 'json',
    method: 'DELETE',
    path: '/v2/auth/agents/{agent_id}/connections/{connection_id}',
    summary: 'Delete a connection',
    credentials: 'api-key',
    right: 'write',
    params: z.object({ agent_id: z.string().min(1), connection_id: Uuid }),
    responses: { 204: null },
  }),
};
