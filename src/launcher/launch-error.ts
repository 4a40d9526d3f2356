/**
 * Why there is no server.
 * - `executable`: this Node cannot run it.
 * - `data-folder`: its folder cannot be written.
 * - `port-taken`: the requested port belongs to another program.
 * - `other-port`: the running server has another port than the requested one, and is in use.
 * - `died`: it ended while starting.
 * - `timeout`: it did not answer in time.
 * - `client-too-old`: the running server speaks a newer protocol.
 * - `server-too-old`: the running server speaks an older protocol and is still in use.
 */
export type LaunchProblem =
  | 'executable'
  | 'data-folder'
  | 'port-taken'
  | 'other-port'
  | 'died'
  | 'timeout'
  | 'client-too-old'
  | 'server-too-old';

/** Problems that a retry may solve. */
const PASSING: ReadonlySet<LaunchProblem> = new Set(['died', 'timeout', 'server-too-old']);

/** The server could not be found or started; the message is a sentence for a person. */
export class LaunchError extends Error {
  override readonly name = 'LaunchError';
  readonly problem: LaunchProblem;
  /** The end of the server's log, if it is relevant. */
  readonly logTail: string | undefined;

  constructor(problem: LaunchProblem, sentence: string, options: { logTail?: string; cause?: unknown } = {}) {
    super(sentence, { cause: options.cause });
    this.problem = problem;
    this.logTail = options.logTail;
  }

  /** Whether the user must act before a retry can succeed. */
  get isPermanent(): boolean {
    return !PASSING.has(this.problem);
  }
}
