import { readFileSync } from 'node:fs';

/** Files with what objects hold; null for an object that the store has not. */
export type FetchedObjects = Readonly<Record<string, string | null>>;

/**
 * Objects for operations of a thread that waits for nothing but its database. What an operation lacks is noted; it is fetched
 * elsewhere, and the operation is called again, with it.
 */
export class ObjectSupply {
  #fetched: FetchedObjects = {};
  readonly #missing = new Set<string>();

  /** Before an operation is called. */
  begin(fetched: FetchedObjects = {}): void {
    this.#fetched = fetched;
    this.#missing.clear();
  }

  /** Reads an object; `undefined` when it is gone or missing here. */
  read(name: string): Buffer | undefined {
    const file = this.#fetched[name];
    if (file === undefined) this.#missing.add(name);
    return file == null ? undefined : readFileSync(file);
  }

  /** The objects that the operation has to be called again with. */
  get missing(): string[] {
    return [...this.#missing];
  }
}
