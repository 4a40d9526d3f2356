/** A file of examples that cannot be read, and what to do. */
export class ExampleFileError extends Error {
  override readonly name = 'ExampleFileError';
  /** Whether the request is wrong, while the file may be fine. */
  readonly isUsage: boolean;

  constructor(sentence: string, { isUsage = false }: { readonly isUsage?: boolean } = {}) {
    super(sentence);
    this.isUsage = isUsage;
  }
}
