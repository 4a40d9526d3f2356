interface Identified {
  readonly id: string;
}

/**
 * The elements a tree has shown, by id. While its roots are read anew, those that are about to be replaced still
 * count, and what is asked of them meanwhile is asked of their successors afterwards: no change is lost.
 */
export class KnownElements<E extends Identified> {
  #elements = new Map<string, E>();
  /** What was asked for while the roots are being read. */
  #asked = new Set<string>();
  #reading = 0;

  find(id: string): E | undefined {
    return this.#elements.get(id);
  }

  values(): IterableIterator<E> {
    return this.#elements.values();
  }

  add(elements: readonly E[]): void {
    for (const element of elements) this.#elements.set(element.id, element);
  }

  /**
   * Asks for an element to be shown anew.
   * @returns the element, or undefined when nothing shows it, or it is asked for again once the roots are there.
   */
  ask(id: string): E | undefined {
    if (this.#reading === 0) return this.#elements.get(id);
    this.#asked.add(id);
    return undefined;
  }

  /**
   * Reads the roots.
   * @param read what fetches them.
   * @returns them, with the ids that were asked for meanwhile.
   */
  async replace(
    read: () => Promise<readonly E[]>,
  ): Promise<{ roots: readonly E[]; asked: readonly string[] }> {
    this.#reading += 1;
    try {
      const roots = await read();
      this.#elements = new Map(roots.map((root) => [root.id, root]));
      return { roots, asked: this.#reading === 1 ? [...this.#asked] : [] };
    } finally {
      this.#reading -= 1;
      if (this.#reading === 0) this.#asked = new Set();
    }
  }
}
