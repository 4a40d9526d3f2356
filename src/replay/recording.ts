import type { Exchange, Place } from '../contract/agent-server/exchanges.ts';

/** A request of a replay, as it is compared. */
export interface Asked {
  readonly place: Place;
  readonly hash: string;
}

/** The exchanges of a run, each of which answers one request. */
export class Recording<Entry extends Pick<Exchange, 'ordinal' | 'place' | 'hash'>> {
  readonly #entries: readonly Entry[];
  readonly #unused: Set<Entry>;

  /** @param entries in the order in which they were begun. */
  constructor(entries: readonly Entry[]) {
    this.#entries = entries;
    this.#unused = new Set(entries);
  }

  /** What nothing has asked for yet. */
  get unused(): readonly Entry[] {
    return [...this.#unused];
  }

  /**
   * What answers a request: the same request of the same task, else of the same node, else of any; among equal ones
   * the earliest. It answers no other after that.
   */
  take({ place, hash }: Asked): Entry | undefined {
    const same = this.unused.filter((entry) => entry.hash === hash);
    const found =
      same.find((entry) => entry.place.node === place.node && entry.place.task === place.task) ??
      same.find((entry) => entry.place.node === place.node) ??
      same[0];
    if (found !== undefined) this.#unused.delete(found);
    return found;
  }

  /** Whether a request was recorded, and has been answered as often as it was sent. */
  isSpent(hash: string): boolean {
    return this.#entries.some((entry) => entry.hash === hash);
  }

  /**
   * The unused exchanges that a request may have been before the code changed, likeliest first: those of its task, then
   * those of its node, then the others, each in their order.
   */
  candidates({ place }: Pick<Asked, 'place'>): readonly Entry[] {
    const rank = (entry: Entry) => {
      if (entry.place.node !== place.node) return 2;
      return entry.place.task === place.task ? 0 : 1;
    };
    return this.unused.toSorted((a, b) => rank(a) - rank(b) || a.ordinal - b.ordinal);
  }
}
