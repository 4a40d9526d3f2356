/** The error for a file of examples that cannot be read or written. Its message says why, and often what to do. */
export class ExampleFileError extends Error {
  override readonly name = 'ExampleFileError';
  /** Whether the options are wrong, such as a missing format, while the file may be valid. */
  readonly isUsage: boolean;

  constructor(sentence: string, { isUsage = false }: { readonly isUsage?: boolean } = {}) {
    super(sentence);
    this.isUsage = isUsage;
  }
}
