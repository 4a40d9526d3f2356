import type { Row, Transcript } from './transcript-model.ts';

type Kind = Row['kind'];
export type RowOf<K extends Kind> = Extract<Row, { kind: K }>;
export type NewRow = Row extends infer R ? (R extends Row ? Omit<R, 'id'> : never) : never;

/** The rows of a transcript while it is played: found by their messages and tool calls, and told apart by id. */
export class TranscriptRows {
  readonly #rows: Row[];
  /** Where messages and tool calls are, by `kind id`; only an open question moves. */
  readonly #places = new Map<string, number>();
  #nextRow: number;

  constructor({ rows, nextRow }: Pick<Transcript, 'rows' | 'nextRow'>) {
    this.#rows = [...rows];
    this.#nextRow = nextRow;
    for (const [index, row] of this.#rows.entries()) this.#note(row, index);
  }

  get all(): readonly Row[] {
    return this.#rows;
  }

  /** The number of the next row. It grows over resets: rows keep their expanded or collapsed state by id. */
  get nextRow(): number {
    return this.#nextRow;
  }

  clear(): void {
    this.#rows.length = 0;
    this.#places.clear();
  }

  push(row: NewRow): void {
    const added = { ...row, id: `row-${this.#nextRow}` };
    this.#note(added, this.#rows.length);
    this.#rows.push(added);
    this.#nextRow += 1;
  }

  replace(index: number, row: Row): void {
    this.#rows[index] = row;
    this.#note(row, index);
  }

  /** Replaces each row by what `change` makes of it. */
  change(change: (row: Row) => Row): void {
    for (const [index, row] of this.#rows.entries()) this.#rows[index] = change(row);
  }

  /** Changes the row with which a run has ended, if it is there. */
  changeEnd(runId: string, change: (row: RowOf<'end'>) => Row): void {
    const index = this.#rows.findLastIndex((row) => row.kind === 'end' && row.runId === runId);
    const row = this.#rows[index];
    if (row?.kind === 'end') this.#rows[index] = change(row);
  }

  moveToEnd(from: number): void {
    this.#rows.push(...this.#rows.splice(from, 1));
    for (const [index, row] of this.#rows.entries()) if (index >= from) this.#note(row, index);
  }

  /** Where the row of a message or a tool call is. */
  find(kind: 'human' | 'ai' | 'note' | 'call', id: string | undefined): number | undefined {
    return id === undefined ? undefined : this.#places.get(`${kind} ${id}`);
  }

  #note(row: Row, index: number): void {
    if (!('messageId' in row)) return;
    if (row.messageId !== undefined) this.#places.set(`${row.kind} ${row.messageId}`, index);
    if (row.kind !== 'ai') return;
    for (const { id } of row.toolCalls) if (id !== undefined) this.#places.set(`call ${id}`, index);
  }
}
