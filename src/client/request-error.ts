import { z } from 'zod';
import type { Method } from '../contract/endpoint.ts';
import { ErrorBody, ValidationErrorBody, type ValidationIssue } from '../contract/errors.ts';

/**
 * The reason why a request failed.
 * - `status`: it was answered with an error status.
 * - `unreachable`: no connection came about, so nothing was done.
 * - `timeout`: no answer within the time given.
 * - `lost`: the connection broke after the request had left; it may have been acted on.
 * - `unreadable`: the answer is not what the interface says.
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

/** The one error of this client; its message is a sentence for a person. An aborted call throws the signal's reason. */
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

interface ErrorAnswer {
  readonly method: Method;
  readonly path: string;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly text: string;
}

/** The error that an answer with an error status becomes. */
export function refusal(answer: ErrorAnswer): RequestError {
  const { text, ...request } = answer;
  const body = parse(text);
  const detail = detailOf(body);
  const sentence = sentenceOf(answer.status, body, detail);
  const seen = `${answer.status} from ${answer.method} ${answer.path}`;
  const id = answer.requestId === undefined ? '' : `, request ${answer.requestId}`;
  return new RequestError(`${sentence} (${seen}${id})`, { problem: 'status', ...request, body, detail });
}

const Message = z.looseObject({ message: z.string() });
/** The form of the platform's newer services. */
const ErrorText = z.looseObject({ error: z.string(), details: z.string().optional() });

function detailOf(body: unknown): string | ValidationIssue[] | undefined {
  const issues = ValidationErrorBody.safeParse(body);
  if (issues.success) return issues.data.detail;
  const plain = ErrorBody.safeParse(body);
  if (plain.success) return plain.data.detail;
  const message = Message.safeParse(body);
  if (message.success) return message.data.message;
  const error = ErrorText.safeParse(body);
  if (error.success) return [error.data.error, error.data.details].filter(Boolean).join(': ');
  if (typeof body === 'string' && body !== '' && !body.trimStart().startsWith('<')) return body.slice(0, 500);
  return undefined;
}

function sentenceOf(
  status: number,
  body: unknown,
  detail: string | readonly ValidationIssue[] | undefined,
): string {
  if (status === 403 && needsWorkspace(body, detail)) {
    return 'This API key has access to several workspaces. Specify the workspace ID.';
  }
  if (typeof detail === 'string') return detail;
  if (detail !== undefined) {
    return detail.map((issue) => `${issue.loc.join('.')}: ${issue.msg}`).join('; ');
  }
  if (status === 401) return 'The API key was not accepted.';
  if (status === 403) return 'This API key does not have permission for that.';
  if (status === 404) return 'Not found.';
  if (status === 413) return 'The request is larger than the server accepts.';
  if (status === 429) return 'Too many requests. Try again later.';
  if (status >= 500) return 'The server failed.';
  return 'The server did not accept the request.';
}

/**
 * The cloud's answer to a key of several workspaces that came without `x-tenant-id`
 * (docs/interface/control-plane.md#addresses-and-credentials).
 */
function needsWorkspace(body: unknown, detail: string | readonly ValidationIssue[] | undefined): boolean {
  const error = ErrorText.safeParse(body);
  if (error.success && error.data.error === 'org_scoped_key_requires_workspace') return true;
  return typeof detail === 'string' && detail.includes('requires workspace specification');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
