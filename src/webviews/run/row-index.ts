import type { Row } from './transcript-model.ts';

type Found = 'human' | 'ai' | 'note' | 'call';

/** Where rows are that events come back to, so that no event walks through all rows. */
export class RowIndex {
  /** Messages and tool calls, by `kind id`. */
  readonly #places = new Map<string, number>();
  /** Answers whose end has not come, by the task that writes them. */
  readonly #streaming = new Map<string | undefined, Set<number>>();
  /** What was typed, until the server has given it an id. */
  readonly #typed = new Set<number>();

  constructor(rows: readonly Row[]) {
    for (const [index, row] of rows.entries()) this.add(row, index);
  }

  add(row: Row, index: number): void {
    if (!('messageId' in row)) return;
    if (row.messageId !== undefined) this.#places.set(`${row.kind} ${row.messageId}`, index);
    else if (row.kind === 'human') this.#typed.add(index);
    if (row.kind !== 'ai') return;
    for (const { id } of row.toolCalls) if (id !== undefined) this.#places.set(`call ${id}`, index);
    if (!row.streaming) return;
    const others = this.#streaming.get(row.task);
    if (others === undefined) this.#streaming.set(row.task, new Set([index]));
    else others.add(index);
  }

  /** Puts a row in the place of another; it is still found by what the other was. */
  replace(before: Row | undefined, row: Row, index: number): void {
    this.#typed.delete(index);
    const goesOn = row.kind === 'ai' && row.streaming && before?.kind === 'ai' && row.task === before.task;
    if (before?.kind === 'ai' && !goesOn) this.#streaming.get(before.task)?.delete(index);
    this.add(row, index);
  }

  find(kind: Found, id: string): number | undefined {
    return this.#places.get(`${kind} ${id}`);
  }

  /** Answers that a task is still writing, the one begun last first. */
  streamingOf(task: string | undefined): readonly number[] {
    return [...(this.#streaming.get(task) ?? [])].reverse();
  }

  /** All answers whose end has not come, the last one first. */
  get streaming(): readonly number[] {
    return [...this.#streaming.values()].flatMap((indexes) => [...indexes]).sort((a, b) => b - a);
  }

  /** What was typed and has no id yet, the last one first. */
  get typed(): readonly number[] {
    return [...this.#typed].reverse();
  }
}
