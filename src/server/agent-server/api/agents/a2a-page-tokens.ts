import { z } from 'zod';
import type { TaskRow } from './a2a-task-rows.ts';
import { INVALID_PARAMS, RpcFailure } from './json-rpc.ts';

const Place = z.tuple([z.string(), z.string(), z.int()]);

/** The token of the page that begins after this task. @param total the number of matching tasks. */
export function tokenOf({ updated_at, run_id }: TaskRow, total: number): string {
  return Buffer.from(JSON.stringify([updated_at, run_id, total])).toString('base64url');
}

/** Reads a token: where its page begins, and the number of matching tasks. @throws RpcFailure for an invalid token. */
export function readToken(token: string) {
  try {
    const [updatedAt, runId, total] = Place.parse(JSON.parse(Buffer.from(token, 'base64url').toString()));
    return { updatedAt, runId, total };
  } catch {
    throw new RpcFailure(INVALID_PARAMS, 'params.pageToken: must be the nextPageToken of an earlier page.');
  }
}
