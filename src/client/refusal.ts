import { z } from 'zod';
import type { Method } from '../contract/endpoint.ts';
import { ErrorBody, ValidationErrorBody, type ValidationIssue } from '../contract/errors.ts';
import { RequestError } from './request-error.ts';

/** How many characters of an answer in plain text are shown. */
const MAX_DETAIL = 500;

interface ErrorAnswer {
  readonly method: Method;
  readonly path: string;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly text: string;
}

/** The error for an answer with an error status. */
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
/** The form of errors from the platform's newer services. */
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
  if (typeof body === 'string' && body !== '' && !body.trimStart().startsWith('<'))
    return body.slice(0, MAX_DETAIL);
  return undefined;
}

function sentenceOf(
  status: number,
  body: unknown,
  detail: string | readonly ValidationIssue[] | undefined,
): string {
  if (needsWorkspace({ status, body, detail })) {
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
 * Whether this is the cloud's answer to a key for several workspaces that came without `x-tenant-id`
 * (docs/interface/control-plane.md#addresses-and-credentials).
 */
export function needsWorkspace({
  status,
  body,
  detail,
}: Pick<RequestError, 'status' | 'body' | 'detail'>): boolean {
  if (status !== 403) return false;
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
