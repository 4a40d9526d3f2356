/** The store that a database has, or is about to have. */
export interface ClaimedStore {
  readonly id: string;
  /** Whether it may still have to be marked. */
  readonly isNew: boolean;
}

/** Large files that several servers share, by names such as `builds/<deployment>/<key>.tar.gz`. */
export interface Objects {
  /**
   * Before anything else: finds out which store it is, and marks a new one.
   * @param claimed the store that it has to be; any is right otherwise.
   * @returns its id.
   * @throws ObjectsError when it is another one, or not there.
   */
  identify(claimed?: ClaimedStore): Promise<string>;
  /** Stores a file, whole or not at all; one of the same name is replaced. @throws ObjectsError */
  put(name: string, file: string, signal?: AbortSignal): Promise<void>;
  /**
   * Fetches a file, whole or not at all; the folder is made.
   * @param heard called whenever a piece of it has come.
   * @returns false when nothing has that name.
   * @throws ObjectsError
   */
  get(name: string, file: string, signal?: AbortSignal, heard?: () => void): Promise<boolean>;
  /** The names that begin with a prefix that ends with a slash. @throws ObjectsError */
  list(prefix: string): Promise<string[]>;
  /** Whether anything has that name. @throws ObjectsError when the store cannot say so. */
  has(name: string, signal?: AbortSignal): Promise<boolean>;
  /** Nothing happens when nothing has that name. @throws ObjectsError */
  remove(name: string, signal?: AbortSignal): Promise<void>;
}

/** The store of objects cannot be used. */
export class ObjectsError extends Error {
  override readonly name = 'ObjectsError';
}

const NAME = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;

/** Names are paths that stay in their folder wherever they are stored. @throws ObjectsError */
export function checkObjectName(name: string): string {
  if (!NAME.test(name)) throw new ObjectsError(`'${name}' is not a name for an object.`);
  return name;
}
