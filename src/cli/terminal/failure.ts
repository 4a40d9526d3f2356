import { EXIT } from './exit-codes.ts';

/** An error whose message tells the user everything. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: number;
  constructor(sentence: string, exitCode: number = EXIT.failed) {
    super(sentence);
    this.exitCode = exitCode;
  }
}

/** Thrown to end a command with an exit code, without a message. */
export class Ended extends Error {
  override readonly name = 'Ended';
  readonly exitCode: number;
  constructor(exitCode: number) {
    super(`Ended with exit code ${exitCode}.`);
    this.exitCode = exitCode;
  }
}

/** Ends a command with an exit code. @throws Ended, except for 0 */
export function endWith(exitCode: number): void {
  if (exitCode !== EXIT.ok) throw new Ended(exitCode);
}

/** A failure because the command line is not valid. */
export function usage(sentence: string): Failure {
  return new Failure(sentence, EXIT.usage);
}
