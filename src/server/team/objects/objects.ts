/** The store that a database uses, or is about to use. */
export interface ClaimedStore {
  readonly id: string;
  /** Whether the store may still have to be marked. */
  readonly isNew: boolean;
}

/** Large files that several servers share, by names such as `builds/<deployment>/<key>.tar.gz`. */
export interface Objects {
  /**
   * Finds out which store this is, and marks a new one. Must be called first.
   * @param claimed the expected store; otherwise any is accepted.
   * @returns the id of the store.
   * @throws ObjectsError if it is a different one, or is not available.
   */
  identify(claimed?: ClaimedStore): Promise<string>;
  /** Stores a file as a whole or not at all, replacing one of the same name. @throws ObjectsError */
  put(name: string, file: string, signal?: AbortSignal): Promise<void>;
  /**
   * Fetches a file as a whole or not at all, and creates its folder.
   * @param onProgress called whenever a piece of the file has arrived.
   * @returns false if the name does not exist.
   * @throws ObjectsError
   */
  get(name: string, file: string, signal?: AbortSignal, onProgress?: () => void): Promise<boolean>;
  /** The names that begin with a prefix that ends with a slash. @throws ObjectsError */
  list(prefix: string): Promise<string[]>;
  /** Whether a name exists. @throws ObjectsError when the store does not answer. */
  has(name: string, signal?: AbortSignal): Promise<boolean>;
  /** Removes a file; does nothing if the name does not exist. @throws ObjectsError */
  remove(name: string, signal?: AbortSignal): Promise<void>;
}

/** Thrown when an object store cannot be used; the message says why. */
export class ObjectsError extends Error {
  override readonly name = 'ObjectsError';
}

const NAME = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;

/** Checks a name, which must be a path that stays inside its folder wherever it is stored. @throws ObjectsError */
export function checkObjectName(name: string): string {
  if (!NAME.test(name)) throw new ObjectsError(`'${name}' is not a name for an object.`);
  return name;
}
