import type { TraceNode } from '../contract/tracing/runs.ts';
import type { Client } from './client.ts';
import { RequestError } from './request-error.ts';
import type { CallOptions } from './transport.ts';

const FIELDS = [
  ...['id', 'trace_id', 'parent_run_id', 'name', 'run_type', 'status', 'start_time', 'end_time'],
  ...['total_tokens', 'total_cost'],
];

/**
 * A whole trace as a tree, without payloads. Only our platform gives it as one; from others its runs are requested, page
 * by page.
 * @throws RequestError 404 when there is no such trace.
 */
export async function readTraceTree(
  client: Pick<Client, 'tracing'>,
  traceId: string,
  options: CallOptions = {},
): Promise<TraceNode> {
  try {
    return await client.tracing.runs.tree({ params: { trace_id: traceId } }, options);
  } catch (error) {
    if (!(error instanceof RequestError) || error.status !== 404) throw error;
    const root = await gatherTree(client, traceId, options);
    if (root === undefined) throw error;
    return root;
  }
}

async function gatherTree(
  { tracing }: Pick<Client, 'tracing'>,
  traceId: string,
  options: CallOptions,
): Promise<TraceNode | undefined> {
  const nodes = new Map<string, TraceNode>();
  let cursor: string | null | undefined;
  do {
    const { runs, cursors } = await tracing.runs.query(
      { body: { trace: traceId, order: 'asc', limit: 100, select: FIELDS, cursor: cursor ?? null } },
      options,
    );
    for (const { id, name = '', run_type = 'chain', status = '', start_time = '', ...rest } of runs) {
      if (id !== undefined)
        nodes.set(id, { ...rest, id, name, run_type, status, start_time, child_runs: [] });
    }
    cursor = cursors.next;
  } while (cursor);
  const root = nodes.get(traceId) ?? [...nodes.values()].find(({ parent_run_id }) => !parent_run_id);
  for (const node of nodes.values()) {
    // A span whose parent has not arrived belongs to the trace all the same.
    if (node !== root) (nodes.get(node.parent_run_id ?? '') ?? root)?.child_runs.push(node);
  }
  return root;
}
