import type { Duplex, Readable } from 'node:stream';
import type { LogLine } from '../../../contract/harbor.ts';

/** A process that was started to run graphs, wherever it runs. */
export interface RuntimeChild {
  /** The ID of the process on this machine that represents it. */
  readonly pid: number | undefined;
  /** The connection to the process. */
  readonly pipe: Duplex;
  /** The process's output streams, each with a function that returns the level of a line. */
  readonly outputs: readonly { readonly stream: Readable; level(line: string): LogLine['level'] }[];
  /** Resolves when the process has ended, with a clause about how, such as "exited with code 1". */
  readonly exited: Promise<string>;
  kill(): void;
  /** Called before the process is asked to end. */
  beforeEnd?(): Promise<void>;
  /** Called when the process has done its last work and is about to end. */
  finish?(): Promise<void>;
}

/** How the clause of `exited` begins for a process that was killed. */
export const BY_SIGNAL = 'was stopped by';
