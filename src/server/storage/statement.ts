import type { SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';

type Row = Record<string, SQLOutputValue>;

/**
 * A prepared statement that can read every stored value. Node throws for an integer beyond 2^53, so one such
 * row would make a whole list unreadable; this class returns the nearest safe integer instead.
 */
export class Statement {
  readonly #statement: StatementSync;
  /** Whether the statement can be run once more without a further change. */
  readonly #repeatable: boolean;

  /** @param sql the statement's text; values are never part of it. */
  constructor(statement: StatementSync, sql: string) {
    this.#statement = statement;
    this.#repeatable = !/\breturning\b/i.test(sql);
  }

  all(...values: SQLInputValue[]): Row[] {
    return this.#read(
      () => this.#statement.all(...values),
      (rows) => rows.map(withNumbers),
    );
  }

  get(...values: SQLInputValue[]): Row | undefined {
    return this.#read(
      () => this.#statement.get(...values),
      (row) => (row === undefined ? undefined : withNumbers(row)),
    );
  }

  run(...values: SQLInputValue[]): { changes: number | bigint; lastInsertRowid: number | bigint } {
    return this.#statement.run(...values);
  }

  iterate(...values: SQLInputValue[]): IterableIterator<Row> {
    return this.all(...values).values();
  }

  /** Reads with ordinary numbers, which is fast; if one is too large, reads again with big integers. */
  #read<Result>(read: () => Result, withNumbersIn: (result: Result) => Result): Result {
    if (this.#repeatable) {
      try {
        return read();
      } catch (error) {
        if (!isTooLarge(error)) throw error;
      }
    }
    this.#statement.setReadBigInts(true);
    try {
      return withNumbersIn(read());
    } finally {
      this.#statement.setReadBigInts(false);
    }
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_OUT_OF_RANGE';
}

/** Converts the big integers in a row, which is changed in place because no other code has it yet. */
function withNumbers(row: Row): Row {
  for (const [column, value] of Object.entries(row)) {
    if (typeof value === 'bigint') row[column] = nearestNumber(value);
  }
  return row;
}

function nearestNumber(value: bigint): number {
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number(value), Number.MAX_SAFE_INTEGER));
}
