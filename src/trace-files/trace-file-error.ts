/** A file of traces that cannot be read, and what to do. */
export class TraceFileError extends Error {
  override readonly name = 'TraceFileError';
}
