import type { TraceNode } from '../contract/tracing/runs.ts';
import type { Client } from './client.ts';
import { RequestError } from './request-error.ts';
import type { CallOptions } from './transport.ts';

const PAGE_SIZE = 100;
const FIELDS = [
  'id',
  'trace_id',
  'parent_run_id',
  'name',
  'run_type',
  'status',
  'start_time',
  'end_time',
  'total_tokens',
  'total_cost',
  'tags',
  'feedback_stats',
];

/**
 * Reads a whole trace as a tree, without payloads and hidden spans. Only Agent Harbor returns trees; from other
 * platforms, the runs of the trace are read page by page.
 * @throws RequestError 404 when there is no such trace.
 */
export async function readTraceTree(
  client: Pick<Client, 'tracing'>,
  traceId: string,
  options: CallOptions = {},
): Promise<TraceNode> {
  return withoutHidden(await readWholeTree(client, traceId, options));
}

async function readWholeTree(
  client: Pick<Client, 'tracing'>,
  traceId: string,
  options: CallOptions,
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
      { body: { trace: traceId, order: 'asc', limit: PAGE_SIZE, select: FIELDS, cursor: cursor ?? null } },
      options,
    );
    // All were selected; the type says that any field may be missing.
    for (const { id, name = '', run_type = 'chain', status = '', start_time = '', ...rest } of runs) {
      if (id !== undefined)
        nodes.set(id, { ...rest, id, name, run_type, status, start_time, child_runs: [] });
    }
    cursor = cursors.next;
  } while (cursor);
  const root = nodes.get(traceId) ?? [...nodes.values()].find(({ parent_run_id }) => !parent_run_id);
  for (const node of nodes.values()) {
    // A span whose parent has not arrived is shown below the root.
    if (node !== root) (nodes.get(node.parent_run_id ?? '') ?? root)?.child_runs.push(node);
  }
  return root;
}

/** The tag of spans that LangGraph marks as its own bookkeeping, such as `ChannelWrite`. */
const HIDDEN_TAG = 'langsmith:hidden';

/** Whether views leave a span out. Spans that have failed are always shown. */
export function isHiddenSpan({
  tags,
  status,
}: {
  readonly tags?: readonly string[] | null | undefined;
  readonly status?: string | undefined;
}): boolean {
  return status !== 'error' && tags?.includes(HIDDEN_TAG) === true;
}

/**
 * Replaces hidden spans with the spans below them. It does not use recursion, because a trace can be as deep as it is
 * long.
 */
function withoutHidden(root: TraceNode): TraceNode {
  const left = [root];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    while (node.child_runs.some(isHiddenSpan))
      node.child_runs = node.child_runs.flatMap((child) =>
        isHiddenSpan(child) ? child.child_runs : [child],
      );
    left.push(...node.child_runs);
  }
  return root;
}
