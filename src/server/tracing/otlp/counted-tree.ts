/** The runs in a trace whose usage counts, to check whether a run is below or above one of them. */
export class CountedTree {
  readonly #tools = new Set<string>();
  readonly #counted = new Map<string, 'call' | 'sum'>();
  /** Runs with a descendant that counts. */
  readonly #above = new Set<string>();
  /** Runs with a model call below them that counts, and no tool in between. */
  readonly #aboveCall = new Set<string>();

  /** Adds a tool, which makes its own calls, even below a model call. */
  addTool(run: string): void {
    this.#tools.add(run);
  }

  /**
   * Adds a run whose usage counts.
   * @param ids the IDs of the runs above it, from the root down, followed by its own.
   * @param counts how the usage counts; undefined if it does not, and then nothing is added.
   */
  add(ids: readonly string[], counts: 'call' | 'sum' | undefined): void {
    const run = ids.at(-1);
    if (run === undefined || counts === undefined) return;
    this.#counted.set(run, counts);
    let isApart = false;
    for (const above of ids.slice(0, -1).reverse()) {
      this.#above.add(above);
      if (counts === 'call' && !isApart) this.#aboveCall.add(above);
      isApart ||= this.#tools.has(above);
    }
  }

  /**
   * Whether the usage of a run is already counted, by a run above or below it.
   * @param ids the IDs of the runs above it, from the root down, followed by its own.
   * @param as how the usage would count.
   */
  isCounted(ids: readonly string[], as: 'call' | 'sum'): boolean {
    const run = ids.at(-1) ?? '';
    if (as === 'call' ? this.#aboveCall.has(run) : this.#above.has(run)) return true;
    let isApart = false;
    for (const above of ids.slice(0, -1).reverse()) {
      const counts = this.#counted.get(above);
      if (counts === 'sum' || (counts === 'call' && !isApart)) return true;
      isApart ||= this.#tools.has(above);
    }
    return false;
  }
}
