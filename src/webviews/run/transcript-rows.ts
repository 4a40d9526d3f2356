import { RowIndex } from './row-index.ts';
import type { Row, Transcript } from './transcript-model.ts';

type Kind = Row['kind'];
export type RowOf<K extends Kind> = Extract<Row, { kind: K }>;
export type NewRow = Row extends infer R ? (R extends Row ? Omit<R, 'id'> : never) : never;

/** The indexes of rows that were played last: the next frame continues with them instead of making them again. */
const indexes = new WeakMap<readonly Row[], RowIndex>();

/** The rows of a transcript while it is played: found by their messages and tool calls, and told apart by id. */
export class TranscriptRows {
  readonly #rows: Row[];
  #index: RowIndex;
  #nextRow: number;

  constructor({ rows, nextRow }: Pick<Transcript, 'rows' | 'nextRow'>) {
    this.#rows = [...rows];
    this.#nextRow = nextRow;
    this.#index = indexes.get(rows) ?? new RowIndex(rows);
    // From here on it is of other rows.
    indexes.delete(rows);
  }

  get all(): readonly Row[] {
    return this.#rows;
  }

  /** @returns the rows as they stay; call nothing afterwards. */
  finish(): readonly Row[] {
    indexes.set(this.#rows, this.#index);
    return this.#rows;
  }

  /** The number of the next row. It grows over resets: rows keep their expanded or collapsed state by id. */
  get nextRow(): number {
    return this.#nextRow;
  }

  clear(): void {
    this.#rows.length = 0;
    this.#index = new RowIndex([]);
  }

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

  replace(index: number, row: Row): void {
    this.#index.replace(this.#rows[index], row, index);
    this.#rows[index] = row;
  }

  /** Replaces each row by what `change` makes of it. */
  change(change: (row: Row) => Row): void {
    for (const [index, row] of this.#rows.entries()) {
      const changed = change(row);
      if (changed !== row) this.replace(index, changed);
    }
  }

  /** Changes the row with which a run has ended, if it is there. */
  changeEnd(runId: string, change: (row: RowOf<'end'>) => Row): void {
    const index = this.#rows.findLastIndex((row) => row.kind === 'end' && row.runId === runId);
    const row = this.#rows[index];
    if (row?.kind === 'end') this.#rows[index] = change(row);
  }

  moveToEnd(from: number): void {
    this.#rows.push(...this.#rows.splice(from, 1));
    this.#index = new RowIndex(this.#rows);
  }

  /** Where the row of a message or a tool call is. */
  find(kind: 'human' | 'ai' | 'note' | 'call', id: string | undefined): number | undefined {
    return id === undefined ? undefined : this.#index.find(kind, id);
  }

  /** Whether the end of an answer has not come. */
  get isAnyStreaming(): boolean {
    return this.#index.isAnyStreaming;
  }

  /** Where the last answer is whose end has not come. */
  findStreaming(isIt: (row: RowOf<'ai'>) => boolean): number | undefined {
    let last: number | undefined;
    for (const index of this.#index.streaming) {
      const row = this.#rows[index];
      if (row?.kind === 'ai' && (last === undefined || index > last) && isIt(row)) last = index;
    }
    return last;
  }

  /** Where the answer is that a task began last and that may continue under another id. */
  findHead(task: string | undefined, isIt: (row: RowOf<'ai'>) => boolean): number | undefined {
    return this.#index.headsOf(task).findLast((index) => {
      const row = this.#rows[index];
      return row?.kind === 'ai' && isIt(row);
    });
  }

  /** Where the last message is that was typed as this text, and has no id yet. */
  findTyped(text: string): number | undefined {
    return this.#index.typed.find((index) => {
      const row = this.#rows[index];
      return row?.kind === 'human' && row.text === text;
    });
  }
}
