import { DatabaseUnreachable } from '../../process/database-unreachable.ts';
import { fileSystemCode, sqlState } from '../../process/error-codes.ts';
import { HttpError } from '../http/errors.ts';
import { DataFolderError } from '../storage/data-folder-error.ts';
import type { FetchedObjects } from '../storage/object-supply.ts';
import type { TraceChange } from '../tracing/context/changes.ts';

/** A call of an operation in a storage thread. */
export interface WorkerRequest {
  readonly id: number;
  readonly operation: string;
  readonly argument: unknown;
  /** The objects that the operation lacked in the previous call. */
  readonly objects?: FetchedObjects | undefined;
}

/** A message to a thread: a call, or `close` to end the thread after its calls. */
export type ThreadMessage = WorkerRequest | 'close';

/** The answer to a call. */
export type WorkerResponse =
  | { readonly id: number; readonly result: unknown }
  /** Nothing was done: the operation must be called again with these objects. */
  | { readonly id: number; readonly needs: readonly string[] }
  | { readonly id: number; readonly error: WorkerError };

/**
 * The outcome of a query that a team's replica could have answered. The database answered instead if the replica was
 * behind the acknowledged writes, could not be reached, canceled the query, or belongs to another database.
 */
export type ReplicaOutcome = 'answered' | 'behind' | 'away' | 'canceled' | 'unrelated';

/**
 * Sent by the writing thread at any time: changes and problems outside of a request, whether a purge is running, and
 * objects to remove. Reading threads send the outcome of a query.
 */
export interface ThreadNotice {
  readonly notice:
    | { readonly workspaceId: string; readonly changes: readonly TraceChange[] }
    | { readonly busy: boolean }
    | { readonly loose: readonly string[] }
    | { readonly problem: WorkerError }
    | { readonly replica: ReplicaOutcome };
}

/** An error in a form that can cross threads and be restored as the same kind of error. */
type WorkerError =
  | { readonly kind: 'http'; readonly status: number; readonly detail: HttpError['detail'] }
  | { readonly kind: 'data-folder'; readonly message: string; readonly mayPass: boolean }
  | { readonly kind: 'unreachable'; readonly message: string }
  | {
      readonly kind: 'other';
      readonly message: string;
      readonly stack: string | undefined;
      /** SQLite's result code. */
      readonly errcode: number | undefined;
      /** The file system's code, such as `ENOSPC`. */
      readonly code: string | undefined;
      /** PostgreSQL's SQLSTATE code. */
      readonly sqlState: string | undefined;
    };

/** Sent once by a thread: it is ready, or could not start. */
export type WorkerGreeting = { readonly ready: true } | { readonly failed: WorkerError };

/** Converts an error to a message between threads: its status and detail, or its text and code. */
export function packError(error: unknown): WorkerError {
  if (error instanceof HttpError) return { kind: 'http', status: error.status, detail: error.detail };
  if (error instanceof DataFolderError) {
    const { message, mayPass } = error;
    return { kind: 'data-folder', message, mayPass };
  }
  if (error instanceof DatabaseUnreachable) return { kind: 'unreachable', message: String(error.cause) };
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const errcode =
    error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
      ? error.errcode
      : undefined;
  return { kind: 'other', message, stack, errcode, code: fileSystemCode(error), sqlState: sqlState(error) };
}

/** Restores an error as the kind that it had, so that callers can handle it. */
export function unpackError(packed: WorkerError): Error {
  if (packed.kind === 'http') return new HttpError(packed.status, packed.detail);
  if (packed.kind === 'data-folder') return new DataFolderError(packed.message, packed);
  if (packed.kind === 'unreachable') return new DatabaseUnreachable(packed.message);
  const error = new Error(packed.message);
  if (packed.stack !== undefined) error.stack = packed.stack;
  // The code of SQLite, PostgreSQL or the file system tells the caller that, for example, the disk is full. Only
  // errors with a `syscall` are taken for errors of the file system.
  if (packed.errcode !== undefined) Object.assign(error, { errcode: packed.errcode });
  if (packed.code !== undefined) Object.assign(error, { code: packed.code, syscall: '' });
  if (packed.sqlState !== undefined) Object.assign(error, { sqlState: packed.sqlState });
  return error;
}
