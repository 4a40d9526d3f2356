type Version = string | number;

/**
 * Makes the versions of channel values unique. `langgraph dev` stores values with each checkpoint and counts
 * versions up, so two branches of a thread can use one version for two values; here a value is stored once
 * per version. A version that is already used gets a fraction, on its branch and in all later checkpoints of
 * it.
 */
export class UniqueVersions {
  /** Channel and version to value. */
  readonly #taken = new Map<string, string>();
  readonly #renamedAt = new Map<string, ReadonlyMap<string, Version>>();
  #next = 1;

  /** Must be called for parents before their children. */
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

  /** @returns the version to store a value under, and whether it still has to be stored. */
  version(channel: string, version: Version, value: string): { version: Version; isNew: boolean } {
    const key = keyOf(channel, version);
    const known = this.renamed.get(key) ?? version;
    const held = this.#taken.get(keyOf(channel, known));
    if (held === value) return { version: known, isNew: false };
    const free = held === undefined ? known : this.#freeOf(version);
    if (free !== version) this.renamed.set(key, free);
    this.#taken.set(keyOf(channel, free), value);
    return { version: free, isNew: true };
  }

  /** Channels with their versions here. */
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
