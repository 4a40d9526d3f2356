/** Changes within this time are shown together. */
const TOGETHER_MS = 150;

interface Refreshable {
  /** Shows a row and the rows below it again; without an ID, all rows. */
  refresh(id?: string): void;
}

/** Refreshes trees a moment after the first of several changes, each row once. */
export class GatheredRefresh {
  #wanted = new Map<Refreshable, Set<string | undefined>>();
  #timer: NodeJS.Timeout | undefined;

  /** Refreshes a tree soon. @param id of a row; by default everything */
  want(tree: Refreshable, id?: string): void {
    this.#wanted.set(tree, (this.#wanted.get(tree) ?? new Set()).add(id));
    this.#timer ??= setTimeout(() => this.#flush(), TOGETHER_MS);
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }

  #flush(): void {
    this.#timer = undefined;
    const wanted = this.#wanted;
    // A refresh may cause further changes, which are shown next time.
    this.#wanted = new Map();
    for (const [tree, ids] of wanted) {
      // Everything includes each single row.
      if (ids.has(undefined)) tree.refresh();
      else for (const id of ids) tree.refresh(id);
    }
  }
}
