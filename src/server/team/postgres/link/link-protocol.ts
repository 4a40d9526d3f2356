import type { MessagePort } from 'node:worker_threads';
import type { SessionSettings } from '../begin-session.ts';

/** A statement with its values, in the form that the connection's thread expects. */
export interface LinkStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Whether to prepare the statement, because it is repeated. */
  readonly isPrepared: boolean;
}

/** Statements that are sent together and answered together. */
export interface LinkBatch {
  readonly statements: readonly LinkStatement[];
  /** Whether the statements must use the same connection as the previous batch, because it has an open transaction. */
  readonly continues: boolean;
  /**
   * Whether the statements may be resent when the connection breaks, because they only read, or begin a transaction.
   */
  readonly isRepeatable: boolean;
  /** The connection is given up after this time without an answer. */
  readonly withinMs: number;
}

/** The result of a statement. */
export interface LinkResult {
  readonly rows: readonly Record<string, unknown>[];
  readonly changes: number;
  /** PostgreSQL's name for the completed command, such as `COMMIT`. */
  readonly command: string;
}

/** The results of a batch, or the error of the first statement that failed. */
export type LinkAnswer =
  | { readonly results: readonly LinkResult[] }
  | {
      readonly error: {
        readonly message: string;
        readonly code: string | undefined;
        readonly isUnreachable: boolean;
      };
    };

/** Sent once: the database is open, or cannot be opened. */
export type LinkGreeting = { readonly ready: true } | { readonly failed: string; readonly mayPass: boolean };

/** The data with which a connection's thread is started. */
export interface LinkData {
  /** Receives batches, and sends their results. */
  readonly port: MessagePort;
  readonly url: string;
  readonly application: string;
  /** Whether to create or update the tables first. */
  readonly migrates: boolean;
  /** Additional settings for the session. */
  readonly settings: SessionSettings;
  /**
   * Whether the database is a replica. A replica is optional: the thread connects to it on its own
   * initiative, and does not repeat failed statements.
   */
  readonly isReplica: boolean;
  /** Three numbers: how many answers were sent, whether the thread has ended, and whether a replica is connected. */
  readonly signal: SharedArrayBuffer;
}

/** The time limit for most statements. */
export const USUAL_MS = 30_000;
/** The time limit for work on whole tables. */
export const LONG_MS = 3_600_000;

/** The places of the numbers in `LinkData.signal`. */
export const ANSWERS = 0;
export const ENDED = 1;
export const CONNECTED = 2;
