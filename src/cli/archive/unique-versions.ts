type Version = string | number;

/**
 * Makes the versions of channel values unique. `langgraph dev` stores values with each checkpoint, so two branches of a
 * thread can use the same version for different values. An archive stores one value per version. If a version already
 * has another value, a small fraction is added to it, in this checkpoint and in all that descend from it.
 */
export class UniqueVersions {
  /** The stored values, by channel and version. */
  readonly #taken = new Map<string, string>();
  readonly #renamedAt = new Map<string, ReadonlyMap<string, Version>>();
  #next = 1;

  /** The versions at a checkpoint. Call this for a parent before its children. */
  at(checkpointId: string, parentId: string | undefined): Branch {
    const inherited = (parentId === undefined ? undefined : this.#renamedAt.get(parentId)) ?? new Map();
    const branch = new Branch(inherited, this.#taken, () => this.#next++ / 1_000_000_000);
    this.#renamedAt.set(checkpointId, branch.renamed);
    return branch;
  }
}

/** The versions at one checkpoint. */
class Branch {
  readonly renamed: Map<string, Version>;
  readonly #taken: Map<string, string>;
  readonly #fraction: () => number;

  constructor(inherited: ReadonlyMap<string, Version>, taken: Map<string, string>, fraction: () => number) {
    this.renamed = new Map(inherited);
    this.#taken = taken;
    this.#fraction = fraction;
  }

  /** @returns the version to store a value under, and whether the value has not been stored yet */
  version(channel: string, version: Version, value: string): { version: Version; isNew: boolean } {
    const key = keyOf(channel, version);
    const known = this.renamed.get(key) ?? version;
    const stored = this.#taken.get(keyOf(channel, known));
    if (stored === value) return { version: known, isNew: false };
    const free = stored === undefined ? known : this.#freeOf(version);
    if (free !== version) this.renamed.set(key, free);
    this.#taken.set(keyOf(channel, free), value);
    return { version: free, isNew: true };
  }

  /** Replaces the versions of channels by their unique versions at this checkpoint. */
  rename(versions: Readonly<Record<string, Version>>): Record<string, Version> {
    return Object.fromEntries(
      Object.entries(versions).map(([channel, version]) => [
        channel,
        this.renamed.get(keyOf(channel, version)) ?? version,
      ]),
    );
  }

  #freeOf(version: Version): Version {
    return typeof version === 'number' ? version + this.#fraction() : `${version}.${this.#fraction()}`;
  }
}

function keyOf(channel: string, version: Version): string {
  return JSON.stringify([channel, version]);
}
