import type { ProtocolErrorCode, ProtocolResponse } from '../../../../contract/agent-server/protocol.ts';
import { HttpError } from '../../../http/errors.ts';

/** A command of the v2 protocol that cannot be carried out. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly code: ProtocolErrorCode;
  constructor(code: ProtocolErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The error response for a failed command; `undefined` for internal errors. */
export function errorResponse(id: number | null, error: unknown): ProtocolResponse | undefined {
  if (error instanceof ProtocolError) return { type: 'error', id, error: error.code, message: error.message };
  if (!(error instanceof HttpError)) return undefined;
  const code =
    error.status === 403 || error.status === 401
      ? 'permission_denied'
      : error.status < 500
        ? 'invalid_argument'
        : 'unknown_error';
  return { type: 'error', id, error: code, message: error.message };
}
