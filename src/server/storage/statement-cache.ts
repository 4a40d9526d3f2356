const MAX_STATEMENTS = 300;

/** Caches prepared statements by their SQL. When the cache is full, it removes the oldest statement. */
export class StatementCache<Prepared> {
  readonly #prepare: (sql: string) => Prepared;
  readonly #kept = new Map<string, Prepared>();

  constructor(prepare: (sql: string) => Prepared) {
    this.#prepare = prepare;
  }

  get(sql: string): Prepared {
    const known = this.#kept.get(sql);
    if (known !== undefined) return known;
    if (this.#kept.size >= MAX_STATEMENTS) {
      const [oldest] = this.#kept.keys();
      if (oldest !== undefined) this.#kept.delete(oldest);
    }
    const prepared = this.#prepare(sql);
    this.#kept.set(sql, prepared);
    return prepared;
  }

  clear(): void {
    this.#kept.clear();
  }
}
