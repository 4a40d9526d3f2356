/** A file with traces cannot be read; the message names the place and the reason. */
export class TraceFileError extends Error {
  override readonly name = 'TraceFileError';
}
