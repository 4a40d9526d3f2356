import { z } from 'zod';
import type { TaskRow } from './a2a-task-rows.ts';
import { INVALID_PARAMS, RpcFailure } from './json-rpc.ts';

const Place = z.tuple([z.string(), z.string(), z.int()]);

/** The token of the page after this task. @param total how many tasks match. */
export function tokenOf({ updated_at, run_id }: TaskRow, total: number): string {
  return Buffer.from(JSON.stringify([updated_at, run_id, total])).toString('base64url');
}

/** Where a page begins, and how many tasks match. @throws RpcFailure for any other text. */
export function placeIn(token: string) {
  try {
    const [updatedAt, runId, total] = Place.parse(JSON.parse(Buffer.from(token, 'base64url').toString()));
    return { updatedAt, runId, total };
  } catch {
    throw new RpcFailure(INVALID_PARAMS, 'params.pageToken: not a token of an earlier page.');
  }
}
