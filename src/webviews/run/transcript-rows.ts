import { type IndexedKind, RowIndex } from './row-index.ts';
import type { Row, RowOf, Transcript } from './transcript-model.ts';

/** A row that has no ID yet. */
type NewRow = Row extends infer R ? (R extends Row ? Omit<R, 'id'> : never) : never;

/** The indexes of finished rows, with which the next frame continues instead of creating them again. */
const indexes = new WeakMap<readonly Row[], RowIndex>();

/** The rows of a transcript while the journal is played. They are found by the IDs of their messages and tool calls. */
export class TranscriptRows {
  readonly #rows: Row[];
  #index: RowIndex;
  #nextRow: number;

  constructor({ rows, nextRow }: Pick<Transcript, 'rows' | 'nextRow'>) {
    this.#rows = [...rows];
    this.#nextRow = nextRow;
    this.#index = indexes.get(rows) ?? new RowIndex(rows);
    // The index changes with the new rows, and no longer fits the earlier ones.
    indexes.delete(rows);
  }

  get all(): readonly Row[] {
    return this.#rows;
  }

  /** @returns the finished rows; do not use this object afterwards. */
  finish(): readonly Row[] {
    indexes.set(this.#rows, this.#index);
    return this.#rows;
  }

  /**
   * The number of the next row. It grows across resets, because rows keep their expanded or collapsed state by id.
   */
  get nextRow(): number {
    return this.#nextRow;
  }

  /** Removes all rows. */
  clear(): void {
    this.#rows.length = 0;
    this.#index = new RowIndex([]);
  }

  /** Adds a row at the end. */
  push(row: NewRow): void {
    const added = { ...row, id: `row-${this.#nextRow}` };
    this.#index.add(added, this.#rows.length);
    this.#rows.push(added);
    this.#nextRow += 1;
  }

  /** Puts a row below another one. */
  insertAfter(index: number, row: NewRow): void {
    this.#rows.splice(index + 1, 0, { ...row, id: `row-${this.#nextRow}` });
    this.#nextRow += 1;
    this.#index = new RowIndex(this.#rows);
  }

  /** Puts another row in the place of one. */
  replace(index: number, row: Row): void {
    this.#index.replace(this.#rows[index], row, index);
    this.#rows[index] = row;
  }

  /** Replaces each row by the result of `change`. */
  change(change: (row: Row) => Row): void {
    for (const [index, row] of this.#rows.entries()) {
      const changed = change(row);
      if (changed !== row) this.replace(index, changed);
    }
  }

  /** Changes the row of a run's end, if it exists. Ends are not in the index. */
  changeEnd(runId: string, change: (row: RowOf<'end'>) => Row): void {
    const index = this.#rows.findLastIndex((row) => row.kind === 'end' && row.runId === runId);
    const row = this.#rows[index];
    if (row?.kind === 'end') this.#rows[index] = change(row);
  }

  /** Moves a row below all others. */
  moveToEnd(from: number): void {
    this.#rows.push(...this.#rows.splice(from, 1));
    this.#index = new RowIndex(this.#rows);
  }

  /** The position of a message or a tool call. */
  find(kind: IndexedKind, id: string | undefined): number | undefined {
    return id === undefined ? undefined : this.#index.find(kind, id);
  }

  /** Whether an answer is incomplete. */
  get isAnyStreaming(): boolean {
    return this.#index.isAnyStreaming;
  }

  /** The position of the last incomplete answer that matches. */
  findStreaming(matches: (row: RowOf<'ai'>) => boolean): number | undefined {
    let last: number | undefined;
    for (const index of this.#index.streaming) {
      const row = this.#rows[index];
      if (row?.kind === 'ai' && (last === undefined || index > last) && matches(row)) last = index;
    }
    return last;
  }

  /** The position of a task's newest answer that may continue under another ID, and matches. */
  findHead(task: string | undefined, matches: (row: RowOf<'ai'>) => boolean): number | undefined {
    return this.#index.headsOf(task).findLast((index) => {
      const row = this.#rows[index];
      return row?.kind === 'ai' && matches(row);
    });
  }

  /** The position of the last message with this text that the user typed and that has no ID yet. */
  findTyped(text: string): number | undefined {
    return this.#index.typed.find((index) => {
      const row = this.#rows[index];
      return row?.kind === 'human' && row.text === text;
    });
  }
}
