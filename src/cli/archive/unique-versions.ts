type Version = string | number;

/**
 * Versions of channels that name one value each. The peer keeps every checkpoint's values with it and counts versions
 * up, so two branches of a thread can give one version to two values; here a value is stored once for its version. A
 * version that is taken gets a fraction, on its branch and wherever the branch goes on.
 */
export class UniqueVersions {
  /** Channel and version to the value that has it. */
  readonly #taken = new Map<string, string>();
  readonly #renamedAt = new Map<string, ReadonlyMap<string, Version>>();
  #next = 1;

  /** Call with parents before their children. */
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

  /** @returns the version to store a value under, and whether it was not stored under it yet. */
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

  /** Channels with the versions they have here. */
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
