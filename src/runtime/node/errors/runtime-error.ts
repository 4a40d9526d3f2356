import { inspect } from 'node:util';
import { shorten } from '../../../process/shorten.ts';
import { isTooLong, RpcError } from '../../protocol/connection.ts';
import type { RuntimeError, SourceLocation } from '../../protocol/protocol.ts';
import { isRecord } from '../langgraph-types.ts';
import { causesOf } from './error-causes.ts';
import { firstUserFrame } from './stack-frames.ts';

/** A graph is unknown or failed to load. */
export class GraphLoadError extends Error {
  override readonly name: string = 'GraphLoadError';
  readonly location: SourceLocation | undefined;
  constructor(message: string, options?: { cause?: unknown; location?: SourceLocation | undefined }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.location = options?.location;
  }
}

/** The project's LangGraph is too old; the server recognizes this name and adds how to update it. */
export class OldLangGraphError extends GraphLoadError {
  override readonly name = 'OldLangGraphError';
}

/** The project's code returned a value of the wrong kind. The message says what to return. */
export class ReturnValueError extends Error {
  override readonly name = 'ReturnValueError';
}

/** The maximum length of an error's message, because every reader of the run gets it. */
const MAX_MESSAGE_CHARS = 32_768;
const MAX_STACK_CHARS = 2 * MAX_MESSAGE_CHARS;
const TOO_LONG =
  'Invalid string length: a value is larger than the limit of JavaScript strings (512 MB). Keep large data in files or in the store, and only a reference in the state.';

/** Describes anything that was thrown; values other than errors, without a message, are shown as text. */
export function describeError(thrown: unknown): RuntimeError {
  if (!(thrown instanceof Error) && !(isRecord(thrown) && typeof thrown.message === 'string')) {
    return { name: 'Error', message: shorten(textOf(thrown), MAX_MESSAGE_CHARS) };
  }
  const rawStack = typeof thrown.stack === 'string' ? thrown.stack : undefined;
  // The stack of a `GraphLoadError` belongs to this runtime, so the error has the location itself.
  const location = thrown instanceof GraphLoadError ? thrown.location : firstUserFrame(rawStack ?? '');
  const rawMessage = isTooLong(thrown) ? TOO_LONG : String(thrown.message) || innerMessages(thrown);
  const message = shorten(rawMessage, MAX_MESSAGE_CHARS);
  // A stack starts with the message. If the message is shortened, the stack gets the short one, because the
  // useful frames come after it.
  const shortStack = message === rawMessage ? rawStack : rawStack?.replace(rawMessage, () => message);
  const stack = shortStack === undefined ? undefined : shortStack + causesOf(thrown);
  return {
    name: typeof thrown.name === 'string' ? thrown.name : 'Error',
    message,
    ...(stack === undefined ? {} : { stack: shorten(stack, MAX_STACK_CHARS) }),
    ...(location === undefined ? {} : { location }),
  };
}

/**
 * Shortens the message of an error that LangGraph has recorded, either as a text or with its name and
 * message, to the maximum length in a run's error.
 */
export function boundError(error: unknown): unknown {
  if (typeof error === 'string') return shorten(error, MAX_MESSAGE_CHARS);
  if (!isRecord(error) || typeof error.message !== 'string') return error;
  const message = shorten(error.message, MAX_MESSAGE_CHARS);
  return message === error.message ? error : { ...error, name: error.name, message };
}

/**
 * A message for an error without one, from the errors that it contains: Node's error for a refused
 * connection contains an error for every address that it tried.
 */
function innerMessages(error: object): string {
  const inner = 'errors' in error && Array.isArray(error.errors) ? error.errors : [];
  return [...new Set(inner.map((each) => describeError(each).message))].join('; ');
}

function textOf(thrown: unknown): string {
  return typeof thrown === 'string'
    ? thrown
    : inspect(thrown, { depth: 4, breakLength: Number.POSITIVE_INFINITY });
}

const GRAPH_ERROR = -32000;

/** Converts an error to a JSON-RPC error with a `RuntimeError` as its data, for requests other than runs. */
export function toRpcError(thrown: unknown): RpcError {
  const error = describeError(thrown);
  return new RpcError(GRAPH_ERROR, error.message, error);
}
