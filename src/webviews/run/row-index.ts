import { type Answer, isUnbegun } from './answers.ts';
import type { Row } from './transcript-model.ts';

/** The kinds of rows that are found by the ID of their message; and `call`, the answer with a tool call. */
export type IndexedKind = 'human' | 'ai' | 'note' | 'call';

/** An index of the rows that later events may change, so that no event has to search all rows. */
export class RowIndex {
  /** The positions of messages and tool calls, by `kind id`. */
  readonly #places = new Map<string, number>();
  /** The positions of incomplete answers. */
  readonly #streaming = new Set<number>();
  /** The positions of streaming answers that may continue under another ID, by their task; the newest is last. */
  readonly #heads = new Map<string | undefined, number[]>();
  /** The positions of messages that the user typed, until the server has assigned an ID. */
  readonly #typed = new Set<number>();

  constructor(rows: readonly Row[]) {
    for (const [index, row] of rows.entries()) this.add(row, index);
  }

  add(row: Row, index: number): void {
    this.#note(row, index);
    if (isHead(row)) this.#addHead(row.task, index);
  }

  /** Records that another row is at a position. The IDs of the earlier row still lead there. */
  replace(before: Row | undefined, row: Row, index: number): void {
    this.#typed.delete(index);
    this.#streaming.delete(index);
    this.#note(row, index);
    const was = before !== undefined && isHead(before) ? before : undefined;
    const is = isHead(row) ? row : undefined;
    if (was !== undefined && is !== undefined && was.task === is.task) return;
    if (was !== undefined) this.#removeHead(was.task, index);
    if (is !== undefined) this.#addHead(is.task, index);
  }

  #note(row: Row, index: number): void {
    if (!('messageId' in row)) return;
    if (row.messageId !== undefined) this.#places.set(`${row.kind} ${row.messageId}`, index);
    else if (row.kind === 'human') this.#typed.add(index);
    if (row.kind !== 'ai') return;
    for (const { id } of row.toolCalls) if (id !== undefined) this.#places.set(`call ${id}`, index);
    if (row.streaming) this.#streaming.add(index);
  }

  #addHead(task: string | undefined, index: number): void {
    const others = this.#heads.get(task);
    if (others === undefined) this.#heads.set(task, [index]);
    else others.push(index);
  }

  #removeHead(task: string | undefined, index: number): void {
    const heads = this.#heads.get(task);
    const at = heads?.lastIndexOf(index) ?? -1;
    if (at >= 0) heads?.splice(at, 1);
  }

  find(kind: IndexedKind, id: string): number | undefined {
    return this.#places.get(`${kind} ${id}`);
  }

  /** The positions of a task's streaming answers that may continue under another ID; the newest is last. */
  headsOf(task: string | undefined): readonly number[] {
    return this.#heads.get(task) ?? [];
  }

  /** The positions of incomplete answers, in no particular order. */
  get streaming(): Iterable<number> {
    return this.#streaming;
  }

  get isAnyStreaming(): boolean {
    return this.#streaming.size > 0;
  }

  /** The positions of typed messages without an ID, the last one first. */
  get typed(): readonly number[] {
    return [...this.#typed].reverse();
  }
}

/** Whether the next chunk of an answer may have another ID, or none. */
function isHead(row: Row): row is Answer {
  return row.kind === 'ai' && row.streaming && (row.messageId === undefined || isUnbegun(row));
}
