import { HttpError } from './errors.ts';

const BUSY = 5;
const FULL = 13;
const READ_ONLY = 8;
const IO_ERROR = 10;

/** Says in words what a storage error means for the caller; `undefined` for any other error. */
export function storageProblem(error: unknown): HttpError | undefined {
  switch (sqliteCode(error)) {
    case FULL:
      return new HttpError(
        507,
        'The disk is full: nothing of this request was stored. Free some space and send it again.',
      );
    case BUSY:
      return new HttpError(503, 'The storage is busy: nothing of this request was stored. Send it again.', {
        'retry-after': '1',
      });
    case READ_ONLY:
      return new HttpError(507, 'The data folder is read-only: nothing of this request was stored.');
    case IO_ERROR:
      return new HttpError(507, 'The disk refused to write: nothing of this request was stored.');
    default:
      return undefined;
  }
}

/** SQLite's primary result code of an error of `node:sqlite`. */
function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined;
  return error.errcode & 0xff;
}
