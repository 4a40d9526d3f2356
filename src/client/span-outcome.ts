import type { TraceNode } from '../contract/tracing/runs.ts';
import type { Client } from './client.ts';

/** How a span ended. Unlike its stored status, this distinguishes failed, paused and canceled spans. */
export type SpanOutcome = 'pending' | 'success' | 'error' | 'interrupted' | 'cancelled';

interface Span {
  readonly status?: string | null | undefined;
  readonly error?: string | null | undefined;
}

/**
 * LangGraph pauses by throwing, so spans that end with an interrupt are stored as failed. Python's tracer begins with the
 * exception. JavaScript's writes the message, an empty line, and a stack that begins with the exception. Activation loads
 * this file, so it tells them apart without the larger `terms/error-text.ts`.
 */
const INTERRUPT = /(?:^|\n\n)(?:Graph|Node)Interrupt\b/;

/** The exception with which a subgraph passes a command to its parent graph; nothing has failed. */
const PARENT_COMMAND = /(?:^|\n\n)ParentCommand\b/;

/**
 * Canceled steps fail with `AbortError` or `ModelAbortError`, a canceled graph in LangGraph.js with `Error: Abort`, and
 * asyncio with `CancelledError`.
 */
const CANCELLATION =
  /(?:^|\n\n)(?:AbortError|ModelAbortError)\b|^Abort(?:ed)?\n\nError: Abort|^CancelledError\(/;

/**
 * How a span ended, or whether it is still running. A span that an interrupt or a person ended has not failed.
 */
export function outcomeOf({ status, error }: Span): SpanOutcome {
  if (error && INTERRUPT.test(error)) return 'interrupted';
  if (error && PARENT_COMMAND.test(error)) return 'success';
  if (error) return CANCELLATION.test(error) ? 'cancelled' : 'error';
  if (status === 'error' || status === 'interrupted') return status;
  return status === 'pending' ? 'pending' : 'success';
}

/**
 * Reads how those spans of a trace ended that were stored with an error.
 * @returns outcomes by the IDs of spans
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
 * Reads the errors of a trace's spans, because the endpoint for trees leaves them out. Interrupts are stored as errors, too.
 * @returns texts of errors by the IDs of spans; empty without a request if no span of the tree has failed
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

/**
 * Whether a span of a tree has failed. Does not use recursion, because each span of a trace may be the
 * parent of the next one.
 */
function hasErrors(root: TraceNode): boolean {
  const left = [root];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (node.status === 'error') return true;
    left.push(...node.child_runs);
  }
  return false;
}
