import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { Uuid } from './fields.ts';

/** The place at which a debugger has stopped a process. */
export const PausedAt = z.object({
  /** Absolute path of the source; left out when it is not a file. */
  file: z.string().optional(),
  line: z.int().min(1).optional(),
  /** The function in which the process stopped. */
  name: z.string().optional(),
});
export type PausedAt = z.output<typeof PausedAt>;

/** The state of a live deployment to which a debugger is attached. */
export const DebuggingState = z.object({ paused: PausedAt.optional() });

/** An event that an editor receives while it debugs. */
export const DebugEvent = z.discriminatedUnion('type', [
  /** A process that can be attached to. The process waits for `attached` before it loads its graphs or runs nodes. */
  z.object({
    type: z.literal('process'),
    process_id: z.int(),
    language: z.enum(['node', 'python']),
    /** Whether the process has loaded its graphs. */
    has_loaded: z.boolean(),
    /** `ws://…` speaks Chrome's DevTools protocol, `tcp://…` the Debug Adapter Protocol. */
    address: z.string(),
  }),
  /** A process cannot be debugged; the message is one sentence for a person. */
  z.object({ type: z.literal('problem'), message: z.string() }),
]);
export type DebugEvent = z.output<typeof DebugEvent>;

const params = z.object({ deployment_id: Uuid });

/** Debugging of a live deployment's graphs by an editor. Remote platforms do not have these endpoints. */
export const debugging = {
  debug: endpoint({
    kind: 'event-stream',
    method: 'POST',
    path: '/harbor/workspaces/{deployment_id}/debug',
    summary:
      'Open the debuggers of a live deployment, until this stream is closed; events tell where they are',
    credentials: 'api-key',
    right: 'owner',
    params,
    body: z.object({
      /** A folder that contains debugpy, for Python environments without it. */
      debugpy: z.string().optional(),
    }),
  }),
  tellDebugged: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/harbor/workspaces/{deployment_id}/debug/processes/{process_id}',
    summary: 'Report the state of a debugged process; time limits stop while it is paused',
    credentials: 'api-key',
    right: 'owner',
    params: params.extend({ process_id: z.coerce.number().int() }),
    body: z.discriminatedUnion('state', [
      z.object({ state: z.literal('attached') }),
      z.object({ state: z.literal('paused'), at: PausedAt }),
      z.object({ state: z.literal('running') }),
    ]),
    responses: { 204: null },
  }),
  writeLog: endpoint({
    kind: 'json',
    method: 'POST',
    path: '/harbor/workspaces/{deployment_id}/debug/log',
    summary: 'Write the message of a logpoint to the log of a live deployment',
    credentials: 'api-key',
    right: 'owner',
    params,
    body: z.object({ message: z.string(), run_id: z.string().max(100), thread_id: z.string().max(100) }),
    responses: { 204: null },
  }),
};
