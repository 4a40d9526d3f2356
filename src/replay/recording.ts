import type { Exchange, Place } from '../contract/agent-server/exchanges.ts';

/** A request of a replay, by its place in the graph and the hash of its canonical form. */
export interface ReplayedRequest {
  readonly place: Place;
  readonly hash: string;
}

/** The exchanges of a run, each of which answers one request. */
export class Recording<Entry extends Pick<Exchange, 'ordinal' | 'place' | 'hash'>> {
  readonly #unused: Set<Entry>;
  /** Unused entries by equal requests, earliest first. */
  readonly #byHash: ReadonlyMap<string, Entry[]>;

  /** @param entries in the order in which they were begun. */
  constructor(entries: readonly Entry[]) {
    this.#unused = new Set(entries);
    this.#byHash = Map.groupBy(entries, ({ hash }) => hash);
  }

  /** Entries that have not answered a request yet. */
  get unused(): readonly Entry[] {
    return [...this.#unused];
  }

  /**
   * Takes the entry that answers a request: the same request of the same task, else of the same node, else of any node.
   * Among several, it takes the earliest. An entry answers only one request.
   * @returns undefined when the request was not recorded, or all equal entries have been taken
   */
  take({ place, hash }: ReplayedRequest): Entry | undefined {
    const same = this.#byHash.get(hash) ?? [];
    const nearest = [
      (entry: Entry) => entry.place.node === place.node && entry.place.task === place.task,
      (entry: Entry) => entry.place.node === place.node,
      () => true,
    ];
    for (const isNear of nearest) {
      const at = same.findIndex(isNear);
      const found = same[at];
      if (found === undefined) continue;
      same.splice(at, 1);
      this.#unused.delete(found);
      return found;
    }
    return undefined;
  }

  /** Whether a request was recorded, but has already been answered as often as it was recorded. */
  isSpent(hash: string): boolean {
    return this.#byHash.get(hash)?.length === 0;
  }

  /**
   * The unused exchanges that may belong to a request that changed with the code, most
   * likely first: those of its task, then those of its node, then the others, each in their recorded order.
   */
  candidates({ place }: Pick<ReplayedRequest, 'place'>): readonly Entry[] {
    const rank = (entry: Entry) => {
      if (entry.place.node !== place.node) return 2;
      return entry.place.task === place.task ? 0 : 1;
    };
    return this.unused.toSorted((a, b) => rank(a) - rank(b) || a.ordinal - b.ordinal);
  }
}
