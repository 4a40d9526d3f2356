import type { Method } from '../contract/endpoint.ts';
import type { ValidationIssue } from '../contract/errors.ts';

/**
 * The reason why a request failed.
 * - `status`: it was answered with an error status.
 * - `unreachable`: no connection was made, so nothing was done.
 * - `timeout`: no answer within the time given.
 * - `lost`: the connection broke after the request was sent, so the server may have processed it.
 * - `unreadable`: the answer does not have the form that the interface describes.
 */
export type RequestProblem = 'status' | 'unreachable' | 'timeout' | 'lost' | 'unreadable';

export interface RequestErrorDetails {
  readonly problem: RequestProblem;
  readonly method: Method;
  /** The path as requested, without query and secrets. */
  readonly path: string;
  readonly status?: number | undefined;
  /** The server's `x-request-id`, to find the request in its log. */
  readonly requestId?: string | undefined;
  /** The answer's body: parsed JSON, else text. */
  readonly body?: unknown;
  readonly detail?: string | readonly ValidationIssue[] | undefined;
  /** The network error's code, such as `ECONNREFUSED`. */
  readonly code?: string | undefined;
  /** How long the server asks to wait before the next try. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/**
 * The one error of this client; its message is a sentence for a person. An aborted call throws the signal's
 * reason.
 */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly problem: RequestProblem;
  readonly method: Method;
  readonly path: string;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly body: unknown;
  readonly detail: string | readonly ValidationIssue[] | undefined;
  readonly code: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(sentence: string, details: RequestErrorDetails) {
    super(sentence, { cause: details.cause });
    this.problem = details.problem;
    this.method = details.method;
    this.path = details.path;
    this.status = details.status;
    this.requestId = details.requestId;
    this.body = details.body;
    this.detail = details.detail;
    this.code = details.code;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** Whether a platform has answered 404. */
export function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'status' in error && error.status === 404;
}
