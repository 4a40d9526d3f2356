/** A database on another machine does not answer; what was asked of it last may have been stored. */
export class DatabaseUnreachable extends Error {
  override readonly name = 'DatabaseUnreachable';

  constructor(cause: unknown) {
    super('The database cannot be reached. Try again.', { cause });
  }
}
