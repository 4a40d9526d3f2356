import type { MessagePort } from 'node:worker_threads';
import type { SessionSettings } from '../begin-session.ts';

/** A statement with its values, in the form for the connection's thread. */
export interface LinkStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Whether it is prepared, because it is repeated. */
  readonly isPrepared: boolean;
}

/** Statements that are sent together and answered together. */
export interface LinkBatch {
  readonly statements: readonly LinkStatement[];
  /** Whether they must use the same connection as the previous ones, because it has an open transaction. */
  readonly continues: boolean;
  /** Whether they may be resent when the connection breaks: they only read, or begin a transaction. */
  readonly isRepeatable: boolean;
  /** The connection is given up after this time without an answer. */
  readonly withinMs: number;
}

export interface LinkResult {
  readonly rows: readonly Record<string, unknown>[];
  readonly changes: number;
  /** PostgreSQL's name for the completed command, such as `COMMIT`. */
  readonly command: string;
}

export type LinkAnswer =
  | { readonly results: readonly LinkResult[] }
  | {
      readonly error: {
        readonly message: string;
        readonly code: string | undefined;
        readonly isUnreachable: boolean;
      };
    };

/** Sent once: the database is open, or cannot be. */
export type LinkGreeting = { readonly ready: true } | { readonly failed: string; readonly mayPass: boolean };

export interface LinkData {
  /** Where batches come from and answers go. */
  readonly port: MessagePort;
  readonly url: string;
  readonly application: string;
  /** Whether tables are created or updated first. */
  readonly migrates: boolean;
  /** More settings of the session. */
  readonly settings: SessionSettings;
  /** Whether it is one that can be done without: it connects by itself, and what fails is not asked again. */
  readonly isReplica: boolean;
  /** Three numbers: how many answers were sent, whether the thread has ended, and whether a replica is connected. */
  readonly signal: SharedArrayBuffer;
}

export const USUAL_MS = 30_000;
/** For work on whole tables. */
export const LONG_MS = 3_600_000;

export const ANSWERS = 0;
export const ENDED = 1;
export const CONNECTED = 2;
