import { readFileSync } from 'node:fs';

/** The paths of files with the contents of objects, by object name; null for an object that does not exist. */
export type FetchedObjects = Readonly<Record<string, string | null>>;

/**
 * Supplies operations on a database thread with objects of the object store. The thread cannot fetch objects itself: it
 * records the objects that an operation lacks; the main thread fetches them, and calls the operation again.
 */
export class ObjectSupply {
  #fetched: FetchedObjects = {};
  readonly #missing = new Set<string>();

  /** Call it before each operation. @param fetched the objects that have been fetched for it. */
  begin(fetched: FetchedObjects = {}): void {
    this.#fetched = fetched;
    this.#missing.clear();
  }

  /** Reads an object; undefined if it does not exist or has not been fetched yet. */
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
