import { HttpError } from '../../http/errors.ts';

/** @throws HttpError 413 for a request with more bytes than the limit of its workspace. */
export function requireRoom(bytes: number, limit: number | undefined): void {
  if (limit === undefined || bytes <= limit) return;
  throw new HttpError(
    413,
    `The request has ${bytes} bytes of traces, and the workspace may send ${limit} at a time. Send fewer runs in each request.`,
    { connection: 'close' },
  );
}
