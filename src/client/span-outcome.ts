import type { TraceNode } from '../contract/tracing/runs.ts';
import type { Client } from './client.ts';

/** The status of a span as the platform has it, but with failed, paused and canceled distinguished. */
export type SpanOutcome = 'pending' | 'success' | 'error' | 'interrupted' | 'cancelled';

interface Span {
  readonly status?: string | null | undefined;
  readonly error?: string | null | undefined;
}

/**
 * LangGraph pauses by throwing, so spans that an interrupt ended are stored as failed. Python's tracer writes the
 * exception first, JavaScript's its message and then, below an empty line, its stack.
 */
const INTERRUPT = /(?:^|\n\n)(?:Graph|Node)Interrupt\b/;

/** How a graph hands a command to the one around it: nothing has failed. */
const COMMAND = /(?:^|\n\n)ParentCommand\b/;

/** The errors of a canceled step, of LangGraph.js around it, and of asyncio. */
const cancellation =
  /(?:^|\n\n)(?:AbortError|ModelAbortError)\b|^Abort(?:ed)?\n\nError: Abort|^CancelledError\(/;

/**
 * How a span ended, or that it is still running. A span that an interrupt or a person ended has not failed.
 */
export function outcomeOf({ status, error }: Span): SpanOutcome {
  if (error && INTERRUPT.test(error)) return 'interrupted';
  if (error && COMMAND.test(error)) return 'success';
  if (error) return cancellation.test(error) ? 'cancelled' : 'error';
  if (status === 'error' || status === 'interrupted') return status;
  return status === 'pending' ? 'pending' : 'success';
}

/**
 * How those spans of a trace ended that did not succeed.
 * @returns their outcomes, by the ids of runs
 * @throws RequestError
 */
export async function readOutcomes(
  client: Pick<Client, 'tracing'>,
  root: TraceNode,
  options: { readonly signal?: AbortSignal } = {},
): Promise<ReadonlyMap<string, SpanOutcome>> {
  const errors = await readSpanErrors(client, root, options);
  return new Map([...errors].map(([id, error]) => [id, outcomeOf({ error })]));
}

/**
 * The errors of a trace's spans, interrupts among them. Trees come without their texts, so these are requested, but
 * only where there are any.
 * @returns texts of errors, by the ids of runs
 * @throws RequestError
 */
export async function readSpanErrors(
  client: Pick<Client, 'tracing'>,
  root: TraceNode,
  options: { readonly signal?: AbortSignal } = {},
): Promise<ReadonlyMap<string, string>> {
  const errors = new Map<string, string>();
  if (!hasErrors(root)) return errors;
  let cursor: string | null | undefined;
  do {
    const { runs, cursors } = await client.tracing.runs.query(
      {
        body: {
          trace: typeof root.trace_id === 'string' ? root.trace_id : root.id,
          error: true,
          select: ['id', 'error'],
          cursor: cursor ?? null,
        },
      },
      options,
    );
    for (const { id, error } of runs) {
      if (id !== undefined && error) errors.set(id, error);
    }
    cursor = cursors.next;
  } while (cursor);
  return errors;
}

/** Without recursion: a trace can be as deep as it is long. */
function hasErrors(root: TraceNode): boolean {
  const left = [root];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (node.status === 'error') return true;
    left.push(...node.child_runs);
  }
  return false;
}

/** Marks spans that are not for people: LangGraph's own bookkeeping, such as `ChannelWrite`. Views leave them out. */
const HIDDEN_TAG = 'langsmith:hidden';

/** Whether views leave a span out: one that has failed is shown. */
export function isHiddenSpan({
  tags,
  status,
}: {
  readonly tags?: readonly string[] | null | undefined;
  readonly status?: string | undefined;
}): boolean {
  return status !== 'error' && tags?.includes(HIDDEN_TAG) === true;
}
