import type { MessagePort } from 'node:worker_threads';
import type { SessionSettings } from '../begin-session.ts';

/** A statement with its values, as the thread of the connection gets it. */
export interface LinkStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Whether it is prepared, since it comes again and again. */
  readonly isPrepared: boolean;
}

/** Statements that are sent together and answered together. */
export interface LinkBatch {
  readonly statements: readonly LinkStatement[];
  /** Whether they must go to the connection that the ones before went to, which has a transaction open. */
  readonly continues: boolean;
  /** Whether they may be sent again when the connection breaks: they read only, or are the beginning of a transaction. */
  readonly isRepeatable: boolean;
  /** After this time without an answer the connection is given up. */
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
  /** Whether tables are made or updated first. */
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
