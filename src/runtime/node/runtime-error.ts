import { RpcError } from '../protocol/connection.ts';
import type { RuntimeError, SourceLocation } from '../protocol/protocol.ts';
import { isRecord } from './langgraph-types.ts';
import { firstUserFrame } from './stack-frames.ts';

/** A graph cannot be had: it is unknown, or did not load. */
export class GraphLoadError extends Error {
  override readonly name = 'GraphLoadError';
  readonly location: SourceLocation | undefined;
  constructor(message: string, options?: { cause?: unknown; location?: SourceLocation | undefined }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.location = options?.location;
  }
}

/** Anything thrown, as it is reported; what is no error is shown as text. */
export function describeError(thrown: unknown): RuntimeError {
  if (!(thrown instanceof Error) && !(isRecord(thrown) && typeof thrown.message === 'string')) {
    return { name: 'Error', message: typeof thrown === 'string' ? thrown : JSON.stringify(thrown) };
  }
  const stack = typeof thrown.stack === 'string' ? thrown.stack : undefined;
  const location =
    // Its stack is our own; it says itself where the user has to look, if anywhere.
    thrown instanceof GraphLoadError
      ? thrown.location
      : stack === undefined
        ? undefined
        : firstUserFrame(stack);
  return {
    name: typeof thrown.name === 'string' ? thrown.name : 'Error',
    message: String(thrown.message),
    ...(stack === undefined ? {} : { stack }),
    ...(location === undefined ? {} : { location }),
  };
}

const GRAPH_ERROR = -32000;

/** For requests other than runs: the error as a JSON-RPC error with a `RuntimeError` as its data. */
export function toRpcError(thrown: unknown): RpcError {
  const error = describeError(thrown);
  return new RpcError(GRAPH_ERROR, error.message, error);
}
