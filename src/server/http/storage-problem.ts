import { DatabaseUnreachable } from '../../process/database-unreachable.ts';
import { fileSystemCode, sqliteCode, sqlState } from '../../process/error-codes.ts';
import { isTooManyFiles, openFilesSentence } from '../../process/open-files.ts';
import { HttpError } from './errors.ts';

// Result codes of SQLite.
const BUSY = 5;
const FULL = 13;
const READ_ONLY = 8;
const IO_ERROR = 10;

// SQLSTATE codes of PostgreSQL.
const DATABASE_FULL = '53100';
/**
 * Resources ran out, a lock was not obtained in time, a statement took too long, or transactions conflicted.
 */
const DATABASE_BUSY = /^(?:53|55P03|57014|40001|40P01)/;

/** The response to a storage error; undefined for any other error. */
export function storageProblem(error: unknown): HttpError | undefined {
  if (isTooManyFiles(error)) {
    return new HttpError(503, `Nothing from this request was stored. ${openFilesSentence()}`);
  }
  if (error instanceof DatabaseUnreachable) return new HttpError(503, error.message, { 'retry-after': '1' });
  const state = sqlState(error);
  if (state === DATABASE_FULL)
    return new HttpError(
      507,
      'The disk of the database is full. Nothing was stored. Free some space and try again.',
    );
  if (state !== undefined && DATABASE_BUSY.test(state)) return storageBusy();
  switch (sqliteCode(error) ?? fileSystemCode(error)) {
    case FULL:
    case 'ENOSPC':
    case 'EDQUOT':
      return new HttpError(507, 'The disk is full. Nothing was stored. Free some space and try again.');
    case BUSY:
      return storageBusy();
    case READ_ONLY:
    case 'EROFS':
      return new HttpError(
        507,
        'The data folder is read-only. Nothing was stored. Make it writable and try again.',
      );
    case IO_ERROR:
    case 'EIO':
      return new HttpError(507, 'Writing to disk failed. Nothing was stored. Check the disk and try again.');
    default:
      return undefined;
  }
}

function storageBusy(): HttpError {
  return new HttpError(503, 'The storage is busy. Nothing was stored. Try again.', { 'retry-after': '1' });
}
