import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '../logger.ts';
import { HttpError } from './errors.ts';
import { pathOf } from './request-path.ts';
import { sendJson, writeJson } from './send-json.ts';
import { storageProblem } from './storage-problem.ts';
import { endAfterBody } from './unread-body.ts';

interface Failure {
  readonly error: unknown;
  readonly requestId: string;
  readonly logger: Logger;
}

/**
 * Answers a failed request. Unexpected errors are logged, and the response contains only the request's ID. Storage
 * problems are explained to the client, and not logged here.
 */
export function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  { error, requestId, logger }: Failure,
): void {
  const known = error instanceof HttpError ? error : storageProblem(error);
  if (known === undefined) {
    logger.error({ requestId, method: request.method, path: pathOf(request), err: error }, 'request failed');
  }
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const status = known?.status ?? 500;
  const detail = known?.detail ?? `Internal error. See request ${requestId} in the server's log.`;
  for (const [name, value] of Object.entries(known?.headers ?? {})) response.setHeader(name, value);
  const code = known?.code === undefined ? {} : { error: known.code };
  const json = JSON.stringify({ ...errorBody(detail), ...code });
  if (request.complete) {
    sendJson(response, status, json);
  } else {
    writeJson(response, status, json);
    endAfterBody(request, response);
  }
}

/**
 * The body of an error: a sentence, or the failed checks. These are repeated as a sentence in `message`,
 * because the public SDKs show it.
 */
function errorBody(detail: HttpError['detail']): object {
  return typeof detail === 'string' ? { detail } : { detail, message: new HttpError(422, detail).message };
}
