/** A build that cannot succeed; the message says why, for the revision and its log. */
export class BuildError extends Error {
  override readonly name = 'BuildError';
}
