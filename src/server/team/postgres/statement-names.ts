/** Names of prepared statements, by text: a connection parses a statement with a known name only once. */
export class StatementNames {
  readonly #names = new Map<string, string>();
  #count = 0;

  of(text: string): string {
    return this.#names.get(text) ?? this.renew(text);
  }

  /** Gives a statement another name, so that it is prepared again. */
  renew(text: string): string {
    const name = `h${this.#count++}`;
    this.#names.set(text, name);
    return name;
  }
}
