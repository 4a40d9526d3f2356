/** A database on another machine does not answer; what was asked of it last may have been stored, unless it says not. */
export class DatabaseUnreachable extends Error {
  override readonly name = 'DatabaseUnreachable';

  /** @param wasSent whether anything of it may have reached the database. */
  constructor(cause?: unknown, { wasSent = true }: { readonly wasSent?: boolean } = {}) {
    super(
      wasSent
        ? 'The database cannot be reached. Try again.'
        : 'The database cannot be reached. Nothing of this was stored. Try again.',
      { cause },
    );
  }
}
