import path from 'node:path';
import { fileSystemCode, sqliteCode } from '../../process/error-codes.ts';
import { findBackup } from './backups.ts';
import { DataFolderError } from './data-folder-error.ts';
import { howToStartOver } from './start-over.ts';

/** SQLite's primary result codes. */
const LOGIC_ERROR = 1;
const IO_ERROR = 10;
const CORRUPT = 11;
const FULL = 13;
const NOT_A_DATABASE = 26;

/**
 * Opens a file of the data folder.
 * @throws DataFolderError that names the file, for errors of SQLite and the file system; other errors of `open` unchanged.
 */
export async function openingFile<Result>(
  file: string,
  open: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await open();
  } catch (error) {
    // The error already says what to do.
    if (error instanceof DataFolderError) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw asDataFolderError(file, cause) ?? error;
  }
}

/** Why a file of the data folder cannot be used; undefined for other errors. */
function asDataFolderError(file: string, cause: unknown): DataFolderError | undefined {
  if (cause instanceof DataFolderError) return cause;
  const code = sqliteCode(cause) ?? fileSystemCode(cause);
  if (!(cause instanceof Error) || code === undefined) return undefined;
  const { dir, base, name } = path.parse(file);
  switch (code) {
    case CORRUPT:
    case NOT_A_DATABASE: {
      const backup = findBackup(dir, name);
      return new DataFolderError(
        `${file} is damaged (${cause.message}). Replace it with a copy${backup === undefined ? '' : ` (${backup} is one from before an update)`}, ` +
          `or ${howToStartOver(dir, base)}.`,
        { cause },
      );
    }
    case FULL:
    case 'ENOSPC':
    case 'EDQUOT':
      return new DataFolderError(
        `The disk is full. ${file} could not be opened. Free some space, or choose another data folder with --data-dir.`,
        { cause },
      );
    case LOGIC_ERROR:
      // The fault is in a statement, not in the file.
      return undefined;
    default:
      return new DataFolderError(
        `${file} could not be opened (${cause.message}). ${code === IO_ERROR ? 'Check whether the disk is full or failing' : 'Check the file and its permissions'}, or choose another data folder with --data-dir.`,
        { cause },
      );
  }
}
