/** A database on another machine does not answer. The request may have been stored, unless the message says otherwise. */
export class DatabaseUnreachable extends Error {
  override readonly name = 'DatabaseUnreachable';

  /** @param wasSent whether any part of the request may have reached the database. */
  constructor(cause?: unknown, { wasSent = true }: { readonly wasSent?: boolean } = {}) {
    super(
      wasSent
        ? 'The database cannot be reached. Try again.'
        : 'The database cannot be reached. Nothing was stored. Try again.',
      { cause },
    );
  }
}
