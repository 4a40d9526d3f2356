import type { Client } from '../../../client/client.ts';
import { outcomeOf } from '../../../client/span-outcome.ts';
import { isHiddenSpan } from '../../../client/trace-tree.ts';
import { errorHead } from '../../../terms/error-text.ts';
import { dollarsOf } from '../../../terms/money.ts';
import { millisecondsOf } from '../../../terms/times.ts';
import { shownName } from '../../wording/span-name.ts';
import type { Span } from './messages.ts';

const FIELDS = [
  'id',
  'parent_run_id',
  'name',
  'run_type',
  'status',
  'start_time',
  'end_time',
  'total_tokens',
  'total_cost',
  'error',
  'feedback_stats',
  'session_id',
  'tags',
];
/** A row shows no more characters of an error. */
const MAX_ERROR_LENGTH = 200;

export interface SpansPage {
  readonly spans: readonly Span[];
  readonly sessionId: string | undefined;
}

/**
 * Reads the root of a trace and the first spans directly below it, which are shown while the rest is read.
 * @throws RequestError
 */
export async function readFirstSpans(
  client: Client,
  traceId: string,
  signal: AbortSignal,
): Promise<SpansPage> {
  const query = (filter: { id: string[] } | { parent_run: string }) =>
    client.tracing.runs.query({ body: { ...filter, order: 'asc', limit: 100, select: FIELDS } }, { signal });
  const [root, below] = await Promise.all([query({ id: [traceId] }), query({ parent_run: traceId })]);
  const runs = [...root.runs, ...below.runs];
  return { spans: runs.flatMap((run) => toSpan(run) ?? []), sessionId: runs[0]?.session_id };
}

/**
 * Reads the spans of a trace without their payloads, earliest first, page by page: Agent Harbor servers
 * return a trace as a whole, other platforms a hundred spans at a time.
 * @throws RequestError
 */
export async function* readSpans(
  client: Client,
  traceId: string,
  signal: AbortSignal,
): AsyncGenerator<SpansPage> {
  let cursor: string | null | undefined;
  do {
    const { runs, cursors } = await client.tracing.runs.query(
      { body: { trace: traceId, order: 'asc', limit: 100, select: FIELDS, cursor: cursor ?? null } },
      { signal },
    );
    yield { spans: runs.flatMap((run) => toSpan(run) ?? []), sessionId: runs[0]?.session_id };
    cursor = cursors.next;
  } while (cursor);
}

export type QueriedRun = Awaited<ReturnType<Client['tracing']['runs']['query']>>['runs'][number];

/**
 * A run as a span of the waterfall.
 * @returns undefined for a run without an ID or a start, and for a hidden span
 */
export function toSpan(run: QueriedRun): Span | undefined {
  const { id, parent_run_id, name, run_type, start_time, end_time, total_tokens, error, feedback_stats } =
    run;
  const start = millisecondsOf(start_time);
  if (id === undefined || start === undefined || (parent_run_id && isHiddenSpan(run))) return undefined;
  const end = millisecondsOf(end_time);
  const cost = dollarsOf(run.total_cost);
  const feedback = Object.keys(feedback_stats ?? {});
  return {
    id,
    name: shownName(name ?? ''),
    type: run_type ?? 'chain',
    status: outcomeOf(run),
    start,
    ...(parent_run_id && { parent: parent_run_id }),
    ...(end !== undefined && { end }),
    ...(total_tokens && { tokens: total_tokens }),
    ...(cost !== undefined && { cost }),
    ...(error && { error: errorHead(error).slice(0, MAX_ERROR_LENGTH) }),
    ...(feedback.length > 0 && { feedback }),
  };
}
