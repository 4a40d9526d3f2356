/** The data folder cannot be used; the message says why and what to do. */
export class DataFolderError extends Error {
  override readonly name = 'DataFolderError';
  /** Whether the folder may work later without changes here, for example once a database can be reached. */
  readonly mayPass: boolean;

  constructor(message: string, { mayPass = false, ...options }: ErrorOptions & { mayPass?: boolean } = {}) {
    super(message, options);
    this.mayPass = mayPass;
  }
}
