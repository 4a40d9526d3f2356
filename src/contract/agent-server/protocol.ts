import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { JsonObject, Uuid } from '../fields.ts';

const ProtocolChannel = z.union([
  z.enum(['values', 'updates', 'messages', 'tools', 'lifecycle', 'input', 'checkpoints', 'tasks', 'custom']),
  z.templateLiteral(['custom:', z.string().min(1)]),
]);

/**
 * The events that a subscription gets: from which channels, under which namespaces, and how many levels
 * below them.
 */
export const ProtocolFilter = z.object({
  channels: z.array(ProtocolChannel).min(1).max(100),
  namespaces: z.array(z.array(z.string()).max(100)).max(1000).nullish(),
  depth: z.int().min(0).nullish(),
});
export type ProtocolFilter = z.output<typeof ProtocolFilter>;

export const ProtocolCommand = z.object({
  id: z.int().min(0),
  method: z.string().min(1).max(128),
  params: JsonObject.nullish(),
});
export type ProtocolCommand = z.output<typeof ProtocolCommand>;

export const ProtocolErrorCode = z.enum([
  'invalid_argument',
  'unknown_command',
  'unknown_error',
  'no_such_run',
  'no_such_subscription',
  'no_such_namespace',
  'no_such_interrupt',
  'no_such_checkpoint',
  'permission_denied',
  'not_supported',
]);
export type ProtocolErrorCode = z.output<typeof ProtocolErrorCode>;

export const ProtocolResponse = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('success'),
    id: z.int(),
    result: JsonObject,
    meta: z.looseObject({ applied_through_seq: z.int(), thread_id: z.string().optional() }).optional(),
  }),
  z.looseObject({
    type: z.literal('error'),
    id: z.int().nullable(),
    error: ProtocolErrorCode,
    message: z.string(),
  }),
]);
export type ProtocolResponse = z.input<typeof ProtocolResponse>;

export const ProtocolEvent = z.looseObject({
  type: z.literal('event'),
  event_id: z.string(),
  seq: z.int(),
  method: z.string(),
  params: z.looseObject({
    namespace: z.array(z.string()),
    /** Milliseconds since the epoch. */
    timestamp: z.number(),
    data: z.unknown(),
  }),
});
export type ProtocolEvent = z.output<typeof ProtocolEvent>;

const params = z.object({ thread_id: Uuid });

/**
 * The v2 streaming protocol (docs/interface/agent-server.md#v2-protocol): clients send commands and get one stream of
 * numbered events per thread.
 */
export const protocol = {
  commands: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/threads/{thread_id}/commands',
    summary: 'Send a command of the v2 streaming protocol',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'read' },
    params,
    body: z.unknown(),
    responses: { 200: ProtocolResponse, 400: ProtocolResponse },
  }),
  events: endpoint({
    kind: 'event-stream',
    method: 'POST',
    path: '/threads/{thread_id}/stream/events',
    summary: 'Follow the events of a thread (v2 streaming protocol)',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'read' },
    params,
    body: ProtocolFilter.extend({ since: z.int().min(0).nullish() }),
  }),
  socket: endpoint({
    kind: 'websocket',
    method: 'GET',
    path: '/threads/{thread_id}/stream/events',
    summary: 'Commands and events of a thread over one WebSocket (v2 streaming protocol)',
    credentials: 'deployment',
    right: 'run',
    auth: { on: 'threads', action: 'read' },
    params,
  }),
};
