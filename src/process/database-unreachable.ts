/** A database on another machine does not answer. Unless stated otherwise, the last request may have been stored. */
export class DatabaseUnreachable extends Error {
  override readonly name = 'DatabaseUnreachable';

  /** @param wasSent whether any part of the request may have reached the database. */
  constructor(cause?: unknown, { wasSent = true }: { readonly wasSent?: boolean } = {}) {
    super(
      wasSent
        ? 'The database cannot be reached. Try again.'
        : 'The database cannot be reached. Nothing of this was stored. Try again.',
      { cause },
    );
  }
}
