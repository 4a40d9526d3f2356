import type { TraceTier } from '../../../contract/tracing/runs.ts';

export interface KnownSession {
  readonly key: number;
  readonly id: string;
  readonly name: string;
  readonly tier: TraceTier | null;
}

/** Keys that the writer looks up again and again. What a rollback took back is forgotten with `clear`. */
export class IngestCaches {
  readonly workspaces = new Map<string, number>();
  /** By workspace and name, or workspace and id. */
  readonly sessions = new Map<string, KnownSession>();
  readonly labels = new BoundedMap<string, number>(50_000);
  /** Whether a workspace has rules that look at its traces. */
  readonly ruled = new Map<number, boolean>();

  clear(): void {
    this.workspaces.clear();
    this.sessions.clear();
    this.labels.clear();
    this.ruled.clear();
  }
}

/** Forgets the oldest entries. */
class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #limit: number;
  constructor(limit: number) {
    super();
    this.#limit = limit;
  }
  override set(key: Key, value: Value): this {
    if (this.size >= this.#limit && !this.has(key)) {
      const [oldest] = this.keys();
      if (oldest !== undefined) this.delete(oldest);
    }
    return super.set(key, value);
  }
}
