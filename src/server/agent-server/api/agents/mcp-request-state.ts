import { z } from 'zod';
import type { McpCall } from './mcp-call-store.ts';

const RequestState = z.object({ thread_id: z.uuid(), run_id: z.uuid() });

/**
 * The request state, which names the call and the round. Everything else is stored with the run, so a forged
 * state can at most name another call of the same user.
 */
export function requestStateOf({ thread, run }: McpCall): string {
  const state = JSON.stringify({ thread_id: thread.thread_id, run_id: run.run_id });
  return Buffer.from(state).toString('base64url');
}

/** Reads a request state; undefined if it is not valid. */
export function readRequestState(text: string): z.output<typeof RequestState> | undefined {
  try {
    return RequestState.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))).data;
  } catch {
    return undefined;
  }
}
