/** A move that cannot start or continue; the message says why and what to do. */
export class MoveError extends Error {
  override readonly name = 'MoveError';
}
