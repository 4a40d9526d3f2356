import { type Attributes, textIn } from './attributes.ts';
import type { Span } from './decode.ts';

interface Event {
  readonly name: string;
  readonly attributes: Attributes;
}

/**
 * Exceptions with which LangGraph pauses and asyncio cancels. The error begins with the exception's name, as
 * LangSmith's clients write it.
 */
const SIGNALS = new Set(['GraphInterrupt', 'NodeInterrupt', 'CancelledError']);
/** The exception with which LangGraph passes a command to the enclosing graph; nothing has failed. */
const HANDED_UP = 'ParentCommand';

/**
 * The error of a span. Only the status decides whether the span failed, because a recorded exception may have been
 * handled.
 * @returns the stack if there is one; `undefined` for a span that has not failed.
 */
export function failureOf({ status }: Span, events: readonly Event[]): string | undefined {
  if (status?.code !== 2 && status?.code !== 'STATUS_CODE_ERROR') return undefined;
  // Earlier exceptions must have been handled, or the last one would not have occurred.
  const exception = events.findLast(({ name }) => name === 'exception')?.attributes ?? {};
  const type = textIn(exception, 'exception.type')?.split('.').at(-1) ?? '';
  if (type === HANDED_UP) return undefined;
  const said = textIn(exception, 'exception.stacktrace', 'exception.message');
  if (SIGNALS.has(type)) {
    const message = textIn(exception, 'exception.message') ?? '';
    return `${type}(${message})${said === undefined || said === message ? '' : `\n\n${said}`}`;
  }
  return said ?? (status.message || 'The span ended with an error.');
}
