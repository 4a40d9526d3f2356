/** Thrown when the command line, or a related environment variable, is invalid; the message says why. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
}
