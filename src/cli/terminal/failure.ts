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

export function usage(sentence: string): Failure {
  return new Failure(sentence, EXIT.usage);
}
