/** The command line, or a variable that goes with it, is wrong; the message says what and how. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
}
