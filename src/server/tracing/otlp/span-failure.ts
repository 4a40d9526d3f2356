import { textIn } from './attributes.ts';
import type { Span } from './decode.ts';
import type { SpanEvent } from './span-messages.ts';

/**
 * Exceptions that mean a pause in LangGraph, or a cancellation in asyncio. Their error begins with the exception's
 * name, as LangSmith's clients write it.
 */
const SIGNALS = new Set(['GraphInterrupt', 'NodeInterrupt', 'CancelledError']);
/** The exception with which LangGraph passes a command to the enclosing graph; nothing has failed. */
const PARENT_COMMAND = 'ParentCommand';

/**
 * The error of a span. Only the status decides whether the span failed, because a recorded exception may have been
 * handled.
 * @returns the stack of the exception, or else a message; `undefined` for a span that has not failed.
 */
export function failureOf({ status }: Span, events: readonly SpanEvent[]): string | undefined {
  if (status?.code !== 2 && status?.code !== 'STATUS_CODE_ERROR') return undefined;
  // Earlier exceptions must have been handled, or the last one would not have occurred.
  const exception = events.findLast(({ name }) => name === 'exception')?.attributes ?? {};
  const type = textIn(exception, 'exception.type')?.split('.').at(-1) ?? '';
  if (type === PARENT_COMMAND) return undefined;
  const text = textIn(exception, 'exception.stacktrace', 'exception.message');
  if (SIGNALS.has(type)) {
    const message = textIn(exception, 'exception.message') ?? '';
    return `${type}(${message})${text === undefined || text === message ? '' : `\n\n${text}`}`;
  }
  return text ?? (status.message || 'The span ended with an error.');
}
