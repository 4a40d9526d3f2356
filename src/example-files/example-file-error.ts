/** A file of examples that cannot be read, and what to do. */
export class ExampleFileError extends Error {
  override readonly name = 'ExampleFileError';
  /** Whether the file may be fine, and the request is wrong. */
  readonly isUsage: boolean;

  constructor(sentence: string, { isUsage = false }: { readonly isUsage?: boolean } = {}) {
    super(sentence);
    this.isUsage = isUsage;
  }
}
