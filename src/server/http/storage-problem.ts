import { DatabaseUnreachable } from '../../process/database-unreachable.ts';
import { fileSystemCode, sqliteCode } from '../../process/error-codes.ts';
import { isTooManyFiles, openFilesSentence } from '../../process/open-files.ts';
import { HttpError } from './errors.ts';

const BUSY = 5;
const FULL = 13;
const READ_ONLY = 8;
const IO_ERROR = 10;

/** Says in words what a storage error means for the caller; `undefined` for any other error. */
export function storageProblem(error: unknown): HttpError | undefined {
  if (isTooManyFiles(error)) {
    return new HttpError(503, `Nothing of this request was stored. ${openFilesSentence()}`);
  }
  if (error instanceof DatabaseUnreachable) return new HttpError(503, error.message, { 'retry-after': '1' });
  switch (sqliteCode(error) ?? fileSystemCode(error)) {
    case FULL:
    case 'ENOSPC':
    case 'EDQUOT':
      return new HttpError(507, 'The disk is full. Nothing was stored. Free some space and try again.');
    case BUSY:
      return new HttpError(503, 'The storage is busy. Nothing was stored. Try again.', {
        'retry-after': '1',
      });
    case READ_ONLY:
    case 'EROFS':
      return new HttpError(507, 'The data folder is read-only. Nothing was stored.');
    case IO_ERROR:
    case 'EIO':
      return new HttpError(507, 'Writing to disk failed. Nothing was stored.');
    default:
      return undefined;
  }
}
