interface Identified {
  readonly id: string;
}

/**
 * VS Code's object for a row: it stays the same as long as the row's ID does, even when its element is
 * replaced.
 */
export class Row<E extends Identified> {
  readonly id: string;
  /** The element that was last read. */
  element: E;

  constructor(element: E) {
    this.id = element.id;
    this.element = element;
  }

  /** Shortens the row to its ID, because it is an argument of its own command. */
  toJSON(): string {
    return this.id;
  }
}

/** The rows that were read, by the ID of their parent; `undefined` for the roots. */
export type Readings<E> = ReadonlyMap<string | undefined, readonly E[]>;

/**
 * The rows of a tree, and which of them VS Code knows. After a change event, VS Code forgets the row and
 * everything below it until it has read them again, and commands on them get nothing. VS Code is therefore
 * notified only of visible changes, and of single rows if possible.
 */
export class Rows<E extends Identified> {
  readonly #describe: (row: Row<E>) => string;
  #rows = new Map<string, Row<E>>();
  /** The appearance of each row that VS Code has read. */
  readonly #shown = new Map<string, string>();
  /** The IDs of the rows that VS Code has below each row, or as roots. */
  readonly #below = new Map<string | undefined, readonly string[]>();

  /** @param describe returns a row's appearance as a text: rows with equal texts look the same */
  constructor(describe: (row: Row<E>) => string) {
    this.#describe = describe;
  }

  /** The element of the row with this ID; undefined if there is none. */
  find(id: string): E | undefined {
    return this.#rows.get(id)?.element;
  }

  /** The rows that are shown, in no particular order. */
  *elements(): Iterable<E> {
    for (const { element } of this.#rows.values()) yield element;
  }

  /** The row of an element. */
  of(element: E): Row<E> {
    const known = this.#rows.get(element.id);
    if (known !== undefined) return known;
    const made = new Row(element);
    this.#rows.set(element.id, made);
    return made;
  }

  /** Hands VS Code the rows below a row, or the roots. */
  hand(id: string | undefined, elements: readonly E[]): Row<E>[] {
    this.#below.set(id, idsOf(elements));
    return elements.map((element) => {
      const row = this.of(element);
      row.element = element;
      return row;
    });
  }

  /** Notes the appearance of a row when VS Code reads it. */
  noteShown(row: Row<E>): void {
    this.#shown.set(row.id, this.#describe(row));
  }

  /**
   * Stores what was read.
   * @param ids what was read again; `undefined` for everything.
   * @param readings what was read, with every expanded row below.
   * @param isUnfolded whether VS Code shows what is below a row.
   * @returns what VS Code must refresh: `everything`, or these rows with what is below them.
   */
  refresh(
    ids: readonly (string | undefined)[],
    readings: Readings<E>,
    isUnfolded: (id: string) => boolean,
  ): 'everything' | readonly Row<E>[] {
    /** The IDs to refresh: a row, if what is below it has changed, or rows below it. */
    const changedIn = (id: string | undefined): (string | undefined)[] => {
      const elements = readings.get(id);
      const known = this.#below.get(id);
      if (elements === undefined) {
        // VS Code would show a collapsed row's old children when it is expanded again. A row that was just
        // expanded is recent enough.
        const isOld = known !== undefined && id !== undefined && !isUnfolded(id);
        return isOld ? [id] : [];
      }
      if (known === undefined || idsOf(elements).join('\n') !== known.join('\n')) return [id];
      return elements.flatMap((element) => {
        const row = this.of(element);
        row.element = element;
        return this.#describe(row) === this.#shown.get(row.id) ? changedIn(row.id) : [row.id];
      });
    };
    const changed = ids.flatMap(changedIn);
    if (changed.includes(undefined)) this.#below.clear();
    for (const id of changed) this.#below.delete(id);
    if (ids.includes(undefined)) this.#keepOnly(new Set([...readings.values()].flatMap(idsOf)));
    return changed.includes(undefined)
      ? 'everything'
      : changed.flatMap((id) => (id === undefined ? [] : (this.#rows.get(id) ?? [])));
  }

  /** Forgets every row except those that were just read, and those that VS Code has below them. */
  #keepOnly(ids: Set<string>): void {
    for (const id of ids) for (const below of this.#below.get(id) ?? []) ids.add(below);
    this.#rows = new Map([...this.#rows].filter(([id]) => ids.has(id)));
    for (const id of this.#shown.keys()) if (!ids.has(id)) this.#shown.delete(id);
    for (const id of this.#below.keys()) if (id !== undefined && !ids.has(id)) this.#below.delete(id);
  }
}

function idsOf(elements: readonly Identified[]): string[] {
  return elements.map(({ id }) => id);
}
