import { EXIT } from './exit-codes.ts';

/** An error whose message is enough: it is shown without a stack. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: number;
  constructor(sentence: string, exitCode: number = EXIT.failed) {
    super(sentence);
    this.exitCode = exitCode;
  }
}

/** Ends a command that has said all already, with its exit code. */
export class Ended extends Error {
  override readonly name = 'Ended';
  readonly exitCode: number;
  constructor(exitCode: number) {
    super(`Ended with exit code ${exitCode}.`);
    this.exitCode = exitCode;
  }
}

/** Ends a command with an exit code; 0 lets it return. @throws Ended */
export function endWith(exitCode: number): void {
  if (exitCode !== EXIT.ok) throw new Ended(exitCode);
}

export function usage(sentence: string): Failure {
  return new Failure(sentence, EXIT.usage);
}
