import type { Readings } from './rows.ts';

/** How long rows that were read ahead may be used. */
const FRESH_MS = 2000;

interface TreeRefreshParts<E> {
  /** Reads the children of an element, or the roots. A failure becomes a row. */
  readonly read: (element: E | undefined) => Promise<readonly E[]>;
  /** The element that is shown under an ID. */
  readonly find: (id: string) => E | undefined;
  /**
   * Shows what was read again: the rows below some IDs (`undefined` for the roots), and below every expanded
   * row among them.
   */
  readonly show: (ids: readonly (string | undefined)[], readings: Readings<E>) => void;
  /** How many milliseconds a reading may take before the next one begins without waiting for it. */
  readonly maxWaitMs?: number;
}

interface Reading<E> {
  readonly elements: readonly E[];
  /** Higher for readings that began later. */
  readonly turn: number;
  /** Until when the reading may be used, as `performance.now()`. */
  readonly freshUntil: number;
}

/**
 * Reads changed rows before VS Code is notified. Otherwise commands on the rows would get nothing until VS
 * Code has read them, which can take seconds with a remote platform.
 */
export class TreeRefresh<E extends { readonly id: string }> {
  readonly #parts: TreeRefreshParts<E>;
  /** The IDs of expanded elements. */
  readonly #unfolded = new Set<string>();
  /** The rows that were last read, by their parent: VS Code may ask for them twice when changes come fast. */
  readonly #ahead = new Map<string | undefined, Reading<E>>();
  readonly #wanted = new Set<string | undefined>();
  #isRefreshing = false;
  /** How many readings of everything are in progress. */
  #readingAll = 0;
  #turns = 0;

  constructor(parts: TreeRefreshParts<E>) {
    this.#parts = parts;
  }

  /**
   * Refreshes an element with everything below it, or the whole tree. Changes that arrive during a read are
   * read after it.
   */
  ask(id?: string): void {
    // While everything is being read, the element may be replaced, so everything is read again.
    this.#wanted.add(this.#readingAll > 0 ? undefined : id);
    if (!this.#isRefreshing) void this.#refreshAll();
  }

  /** The rows below an expanded element, or the roots; read now unless they were just read ahead. */
  async children(element: E | undefined): Promise<readonly E[]> {
    if (element !== undefined) this.#unfolded.add(element.id);
    const ahead = this.#ahead.get(element?.id);
    if (ahead !== undefined && performance.now() < ahead.freshUntil) return ahead.elements;
    const turn = this.#nextTurn();
    const elements = await this.#parts.read(element);
    // Newer rows may have been read in the meantime.
    const last = this.#ahead.get(element?.id);
    return last !== undefined && last.turn > turn ? last.elements : elements;
  }

  isUnfolded(id: string): boolean {
    return this.#unfolded.has(id);
  }

  unfold(id: string): void {
    this.#unfolded.add(id);
  }

  /** Forgets the rows below a collapsed element. */
  fold(id: string): void {
    this.#unfolded.delete(id);
    this.#ahead.delete(id);
  }

  /** Drops rows that were read ahead, because they would be too old when they are shown. */
  discard(): void {
    this.#ahead.clear();
  }

  async #refreshAll(): Promise<void> {
    this.#isRefreshing = true;
    while (this.#wanted.size > 0) {
      const ids = this.#wanted.has(undefined) ? [undefined] : [...this.#wanted];
      this.#wanted.clear();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise((resolve) => {
        timer = setTimeout(resolve, this.#parts.maxWaitMs ?? 1000);
      });
      await Promise.race([this.#refresh(ids), late]);
      clearTimeout(timer);
    }
    this.#isRefreshing = false;
  }

  async #refresh(ids: readonly (string | undefined)[]): Promise<void> {
    const turn = this.#nextTurn();
    const isAll = ids.includes(undefined);
    const readings = new Map<string | undefined, readonly E[]>();
    if (isAll) this.#readingAll += 1;
    await Promise.all(ids.map((id) => this.#readAhead(id, readings)));
    if (isAll) this.#readingAll -= 1;
    // If a reading that began later has overtaken this one, its rows are more recent.
    const current = ids.filter(
      (id) => ![id, undefined].some((of) => (this.#ahead.get(of)?.turn ?? 0) > turn),
    );
    if (current.length === 0) return;
    if (isAll) this.#ahead.clear();
    const freshUntil = performance.now() + FRESH_MS;
    for (const [id, elements] of readings) {
      if ((this.#ahead.get(id)?.turn ?? 0) < turn) this.#ahead.set(id, { elements, turn, freshUntil });
    }
    this.#parts.show(current, readings);
  }

  async #readAhead(id: string | undefined, readings: Map<string | undefined, readonly E[]>): Promise<void> {
    if (id === undefined) return this.#readBelow(undefined, readings);
    const element = this.#parts.find(id);
    if (element !== undefined && this.#unfolded.has(id)) await this.#readBelow(element, readings);
  }

  async #readBelow(element: E | undefined, readings: Map<string | undefined, readonly E[]>): Promise<void> {
    const found = await this.#parts.read(element);
    readings.set(element?.id, found);
    const unfolded = found.filter(({ id }) => this.#unfolded.has(id));
    await Promise.all(unfolded.map((row) => this.#readBelow(row, readings)));
  }

  #nextTurn(): number {
    this.#turns += 1;
    return this.#turns;
  }
}
