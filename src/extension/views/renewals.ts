/** For how long what was read ahead is handed out. */
const freshMs = 2000;

export interface RenewalParts<E> {
  /** Fetches what is below an element, or the roots. */
  readonly read: (element: E | undefined) => Promise<readonly E[]>;
  /** The element with an id, as it is shown. */
  readonly find: (id: string) => E | undefined;
  /** Has the element with an id, or everything, asked for again. */
  readonly show: (id: string | undefined) => void;
  /** After how many ms a reading that hangs is overtaken by the next one. */
  readonly patienceMs?: number;
}

/**
 * Reads what is to be shown anew before it is asked for. From the moment VS Code is told of a change until it has the
 * new rows it knows none, and a row's command would be handed nothing: with a platform far away that takes seconds.
 */
export class Renewals<E extends { readonly id: string }> {
  readonly #parts: RenewalParts<E>;
  /** The ids of those whose rows are shown. */
  readonly #unfolded = new Set<string>();
  /** What was read, by whom it is below: VS Code may ask for it twice when changes come fast. */
  #ahead = new Map<E | undefined, Promise<readonly E[]>>();
  /** Whether new roots were read that nobody has asked for yet. */
  #areRootsNew = false;
  readonly #wanted = new Set<string | undefined>();
  #isRenewing = false;
  /** How many readings of everything are under way. */
  #readingAll = 0;
  #begun = 0;
  #shown = 0;

  constructor(parts: RenewalParts<E>) {
    this.#parts = parts;
  }

  /** Shows an element anew with what is below it, or everything. Changes that come meanwhile are read after it. */
  ask(id?: string): void {
    // When the element is about to be replaced, nobody would show what is read below it.
    this.#wanted.add(this.#readingAll > 0 || this.#areRootsNew ? undefined : id);
    if (!this.#isRenewing) void this.#renewAll();
  }

  /** What is below an element that is unfolded, or the roots: what was just read ahead, or else read now. */
  async children(element: E | undefined): Promise<readonly E[]> {
    if (element === undefined) this.#areRootsNew = false;
    else this.#unfolded.add(element.id);
    return this.#ahead.get(element) ?? this.#parts.read(element);
  }

  /** An element was folded: nobody asks for what is below it. */
  fold(id: string): void {
    this.#unfolded.delete(id);
  }

  /** What was read ahead is too old to be shown. */
  discard(): void {
    this.#ahead = new Map();
    this.#areRootsNew = false;
  }

  async #renewAll(): Promise<void> {
    this.#isRenewing = true;
    while (this.#wanted.size > 0) {
      const ids = this.#wanted.has(undefined) ? [undefined] : [...this.#wanted];
      this.#wanted.clear();
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise((resolve) => {
        timer = setTimeout(resolve, this.#parts.patienceMs ?? 1000);
      });
      await Promise.race([this.#renew(ids), patience]);
      clearTimeout(timer);
    }
    this.#isRenewing = false;
  }

  async #renew(ids: readonly (string | undefined)[]): Promise<void> {
    this.#begun += 1;
    const turn = this.#begun;
    const isAll = ids.includes(undefined);
    const rows = new Map<E | undefined, Promise<readonly E[]>>();
    if (isAll) this.#readingAll += 1;
    await Promise.all(ids.map((id) => this.#readAhead(id, rows)));
    if (isAll) this.#readingAll -= 1;
    if (turn < this.#shown) return;
    this.#shown = turn;
    const ahead = isAll ? rows : new Map([...this.#ahead, ...rows]);
    this.#ahead = ahead;
    if (isAll) this.#areRootsNew = true;
    setTimeout(() => {
      if (this.#ahead === ahead) this.discard();
    }, freshMs).unref();
    for (const id of ids) this.#parts.show(id);
  }

  async #readAhead(id: string | undefined, rows: Map<E | undefined, Promise<readonly E[]>>): Promise<void> {
    if (id === undefined) return this.#readBelow(undefined, rows);
    const element = this.#parts.find(id);
    if (element !== undefined && this.#unfolded.has(id)) await this.#readBelow(element, rows);
  }

  async #readBelow(element: E | undefined, rows: Map<E | undefined, Promise<readonly E[]>>): Promise<void> {
    const read = this.#parts.read(element);
    rows.set(element, read);
    // Why it failed is said by whoever asks for it.
    const found = await read.catch(() => []);
    const unfolded = found.filter(({ id }) => this.#unfolded.has(id));
    await Promise.all(unfolded.map((row) => this.#readBelow(row, rows)));
  }
}
