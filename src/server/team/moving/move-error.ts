/** A move that cannot begin or go on; the message says why and what to do. */
export class MoveError extends Error {
  override readonly name = 'MoveError';
}
