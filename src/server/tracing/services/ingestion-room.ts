import { HttpError } from '../../http/errors.ts';

/**
 * Requires that a request is within its workspace's limit, in bytes; undefined for no limit.
 * @throws HttpError 413
 */
export function requireRoom(bytes: number, limit: number | undefined): void {
  if (limit === undefined || bytes <= limit) return;
  throw new HttpError(
    413,
    `The request has ${bytes} bytes of traces, and the workspace may send ${limit} at a time. Send fewer runs in each request.`,
    { connection: 'close' },
  );
}
