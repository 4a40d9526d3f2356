import { readFileSync } from 'node:fs';

/** Files with the contents of objects; null for an object that is not in the store. */
export type FetchedObjects = Readonly<Record<string, string | null>>;

/**
 * Objects for operations on a thread that only waits for its database. Objects that an operation lacks are noted and
 * fetched elsewhere, and the operation is then called again with them.
 */
export class ObjectSupply {
  #fetched: FetchedObjects = {};
  readonly #missing = new Set<string>();

  /** To be called before an operation. */
  begin(fetched: FetchedObjects = {}): void {
    this.#fetched = fetched;
    this.#missing.clear();
  }

  /** Reads an object; `undefined` if it does not exist or is missing here. */
  read(name: string): Buffer | undefined {
    const file = this.#fetched[name];
    if (file === undefined) this.#missing.add(name);
    return file == null ? undefined : readFileSync(file);
  }

  /** The objects with which the operation must be called again. */
  get missing(): string[] {
    return [...this.#missing];
  }
}
